/// Performs one exchange. The seam behind which networking lies.
///
/// An implementation returns when the response's head has arrived; the body follows as it is read, and a reader that
/// stops reading stops the server. When the calling task is cancelled it throws `CancellationError` at once, from
/// `send` and from the body; when the body is dropped it ends the transfer. It fails with `HTTPError`.
public protocol ClientTransport: Sendable {
  /// Sends `request` with its body and returns the head of the response and its body.
  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
}

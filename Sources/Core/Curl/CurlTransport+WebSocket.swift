public import SwiftwaterHTTP
public import SwiftwaterSockets

extension CurlTransport: WebSocketTransport {
  /// Opens a WebSocket over HTTP/1.1, through the proxy and with the certificates that are configured.
  ///
  /// WebSockets have a thread of their own, do not count for `maximumConnectionsPerHost`, and keep the transport alive.
  /// `connectTimeout` limits the connecting, `request.timeout` (60 seconds if it is nil) the opening as a whole. A
  /// redirect is a refusal like every other answer; the first 4 KiB of a refusing server's words are in the error's
  /// message.
  ///
  /// - Throws: `WebSocketError`; `CancellationError` at once when the task is cancelled, and no socket is left.
  public func connect(
    _ request: HTTPRequest, protocols: [String] = [],
    configuration: WebSocketConfiguration = WebSocketConfiguration()
  ) async throws -> any WebSocketConnection {
    try Task.checkCancellation()
    let handshake = try WebSocketClientHandshake(request, protocols: protocols, configuration: configuration)
    let link = WebSocketClientLink(
      handshake: handshake, configuration: configuration, engine: webSocketEngine(), transport: self)
    return try await link.open()
  }
}

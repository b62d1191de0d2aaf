public import SwiftwaterHTTP

/// A handler's answer.
public struct ServerResponse: Sendable {
  /// Status and header fields.
  ///
  /// The server writes `Content-Length`, `Transfer-Encoding`, `Connection` and, unless it is given, `Date` itself. Of
  /// what the handler sets of these it heeds `Connection: close`, and `Content-Length` in the answer to a `HEAD`
  /// request that comes with an empty body.
  public var head: HTTPResponse
  /// The body: bytes, or a stream that the server pulls as fast as the client reads. A stream that throws, or that
  /// misses its known length, breaks the connection, so that the client does not take the part for the whole.
  public var body: HTTPBody

  /// What the server does with a streamed body that has no end of its own.
  var openEnd: OpenEnd?
  /// What the connection becomes when the request asks for it.
  var upgrade: Upgrade?

  /// Joins a head and a body.
  public init(head: HTTPResponse, body: HTTPBody = .empty) {
    self.head = head
    self.body = body
  }

  /// Joins a status, header fields and a body.
  public init(status: HTTPResponse.Status, headerFields: HTTPFields = HTTPFields(), body: HTTPBody = .empty) {
    self.init(head: HTTPResponse(status: status, headerFields: headerFields), body: body)
  }
}

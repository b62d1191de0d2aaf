internal import SwiftwaterHTTP

/// The head of a request with what it says about the connection.
struct RequestHead: Sendable, Hashable {
  /// How the end of the body is known (RFC 9112 §6).
  enum Framing: Sendable, Hashable {
    case none
    case length(Int64)
    case chunked
  }

  var request: HTTPRequest
  var framing = Framing.none
  /// HTTP/1.0: no chunks, no `100 Continue`.
  var isVersion10 = false
  /// Whether the client wants to send more requests on the connection.
  var keepsAlive = true
  /// Whether the client waits for `100 Continue` before it sends the body.
  var expectsContinue = false
}

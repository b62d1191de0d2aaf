public import SwiftwaterHTTP

/// One exchange, or what was refused before it became one, for a log.
public struct AccessLogEntry: Sendable {
  /// The client's address.
  public let peer: PeerAddress
  /// The request's method; nil where no head was accepted.
  public let method: HTTPRequest.Method?
  /// The target without its query, which may hold secrets; empty where no head was accepted.
  public let path: String
  /// The response's status; nil when the connection ended before there was one.
  public let status: HTTPResponse.Status?
  /// Whether the response has been sent to its end; its last bytes may still be on their way.
  public let isComplete: Bool
  /// The bytes of the request's body that have arrived, without its framing.
  public let bytesReceived: Int64
  /// The bytes of the response as on the wire, before TLS.
  public let bytesSent: Int64
  /// From the request's complete head to the end of its response.
  public let duration: Duration
}

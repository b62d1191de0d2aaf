public import SwiftwaterHTTP

/// A request as a handler receives it.
public struct ServerRequest: Sendable {
  /// Method, target and header fields.
  ///
  /// `path` is the target as on the wire, percent-encoding and dot segments untouched. Of an absolute target
  /// (`http://host/path`, RFC 9112 §3.2.2) it is what follows the authority, and `authority` is the target's; otherwise
  /// `authority` is the `Host` field. With TLS `scheme` is `https`. Field values that are not UTF-8 are read as ISO
  /// 8859-1.
  public var head: HTTPRequest
  /// The body, delivered as it arrives. A handler that stops reading stops the client: the server holds at most 1 MiB
  /// of it. Reading throws `HTTPServerError` when the rest is malformed, too large, too slow, or the client is gone.
  ///
  /// A client that waits for `100 Continue` gets it with the first read, unless the response has begun before.
  public var body: HTTPBody
  /// The client's address.
  public var peer: PeerAddress
  /// The certificate that the client has shown and the server has verified (`TLSConfiguration.clientVerification`), in
  /// DER form.
  public var clientCertificate: [UInt8]?

  /// What a router has made of the target.
  var route: MatchedRoute?

  /// Makes a request, as tests of handlers do.
  public init(head: HTTPRequest, body: HTTPBody = .empty, peer: PeerAddress = PeerAddress(host: "", port: 0)) {
    self.head = head
    self.body = body
    self.peer = peer
  }
}

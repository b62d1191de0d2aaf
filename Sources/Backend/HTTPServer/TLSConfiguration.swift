/// How a server speaks TLS: version 1.2 or newer, offering HTTP/1.1 by ALPN.
public struct TLSConfiguration: Sendable {
  /// Text in PEM form (RFC 7468): one or more blocks from `-----BEGIN` to `-----END`.
  public enum PEM: Sendable, Hashable {
    /// The file at that path. It is read when the server starts.
    case file(String)
    /// The text itself.
    case bytes([UInt8])
  }

  /// What is asked of clients.
  public enum ClientVerification: Sendable, Hashable {
    /// No certificate is asked for.
    case none
    /// A client may show a certificate; one that is shown must be valid.
    case optional
    /// Only clients with a valid certificate are let in.
    case required
  }

  /// The server's certificate, and behind it those that lead to its authority.
  public var certificateChain: PEM
  /// The private key of the first certificate, not encrypted.
  public var privateKey: PEM
  /// The authorities whose certificates clients may show.
  public var clientAuthorities: PEM?
  /// Whether clients must show a certificate of `clientAuthorities`. Handlers find it in
  /// `ServerRequest.clientCertificate`.
  public var clientVerification = ClientVerification.none

  /// A server that shows this certificate and asks for none.
  public init(certificateChain: PEM, privateKey: PEM) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }
}

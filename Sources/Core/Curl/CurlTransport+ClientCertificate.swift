extension CurlTransport {
  /// A certificate with its key, for servers that want to know their clients (mutual TLS).
  public struct ClientCertificate: Sendable, Hashable {
    /// A PEM file of the certificate, followed by those that lead to its authority.
    public var certificateFile: String
    /// A PEM file of the certificate's private key.
    public var keyFile: String
    /// The password of the key's file, if it has one.
    public var keyPassword: String?

    /// Names the files.
    public init(certificateFile: String, keyFile: String, keyPassword: String? = nil) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.keyPassword = keyPassword
    }
  }
}

extension CurlTransport.ClientCertificate: CustomStringConvertible {
  /// The files, without the password.
  public var description: String { "\(certificateFile) with \(keyFile)" }
}

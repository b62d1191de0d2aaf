internal import CTLS

/// Certificates and settings that all connections of a server share.
// unsafe: OpenSSL lets any thread use a context that does not change, and this one does not after `init`.
final class TLSContext: @unchecked Sendable {
  private let context: OpaquePointer
  private let transport: OpaquePointer

  /// Reads certificates and keys.
  init(_ configuration: TLSConfiguration) throws(HTTPServerError) {
    guard let context = swiftwater_tls_server_context(), let transport = swiftwater_tls_transport() else {
      throw Self.failure("TLS cannot be set up")
    }
    self.context = context
    self.transport = transport
    try useCertificateChain(configuration.certificateChain)
    try usePrivateKey(configuration.privateKey)
    try verifyClients(configuration)
  }

  deinit {
    SSL_CTX_free(context)
    BIO_meth_free(transport)
  }

  /// The server's side of a new connection; nil when memory is out.
  func session(over descriptor: Int32) -> TLSSession? {
    swiftwater_tls_accepting(context, transport, descriptor).map { TLSSession($0, context: self) }
  }

  private func useCertificateChain(_ pem: TLSConfiguration.PEM) throws(HTTPServerError) {
    let certificates = try Self.certificates(pem, as: "certificate chain")
    guard SSL_CTX_use_certificate(context, certificates[0].pointer) == 1 else {
      throw Self.failure("The certificate chain\(pem.place) cannot be used")
    }
    for certificate in certificates.dropFirst() {
      // The context owns what it has been given, so it gets a reference of its own.
      X509_up_ref(certificate.pointer)
      guard swiftwater_tls_add_to_chain(context, certificate.pointer) == 1 else {
        X509_free(certificate.pointer)
        throw Self.failure("The certificate chain\(pem.place) cannot be used")
      }
    }
  }

  private func usePrivateKey(_ pem: TLSConfiguration.PEM) throws(HTTPServerError) {
    let bytes = try pem.read(as: "private key")
    ERR_clear_error()
    let key = Self.withBuffer(bytes) { PEM_read_bio_PrivateKey($0, nil, swiftwater_tls_no_passphrase, nil) }
    guard let key else {
      throw Self.failure("The private key\(pem.place) is no unencrypted key in PEM form")
    }
    defer { EVP_PKEY_free(key) }
    guard SSL_CTX_use_PrivateKey(context, key) == 1, SSL_CTX_check_private_key(context) == 1 else {
      throw Self.failure("The private key\(pem.place) does not belong to the first certificate of the chain")
    }
  }

  private func verifyClients(_ configuration: TLSConfiguration) throws(HTTPServerError) {
    guard configuration.clientVerification != .none else { return }
    guard let pem = configuration.clientAuthorities else {
      throw HTTPServerError(
        code: .invalidTLS, message: "Clients are to be verified, but clientAuthorities names no authority.")
    }
    let store = SSL_CTX_get_cert_store(context)
    for authority in try Self.certificates(pem, as: "client authorities' file") {
      guard X509_STORE_add_cert(store, authority.pointer) == 1,
        SSL_CTX_add_client_CA(context, authority.pointer) == 1
      else { throw Self.failure("The client authorities\(pem.place) cannot be used") }
    }
    let mode = configuration.clientVerification == .required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | mode, nil)
  }

  // MARK: - Reading

  /// A certificate that is released with this.
  private final class Certificate {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { X509_free(pointer) }
  }

  /// All certificates, at least one.
  private static func certificates(
    _ pem: TLSConfiguration.PEM, as name: String
  ) throws(HTTPServerError) -> [Certificate] {
    let bytes = try pem.read(as: name)
    ERR_clear_error()
    let certificates = withBuffer(bytes) { buffer in
      var certificates: [Certificate] = []
      while let next = PEM_read_bio_X509(buffer, nil, swiftwater_tls_no_passphrase, nil) {
        certificates.append(Certificate(next))
      }
      return certificates
    }
    guard !certificates.isEmpty else { throw failure("The \(name)\(pem.place) holds no certificate in PEM form") }
    return certificates
  }

  private static func withBuffer<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      let buffer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { BIO_free(buffer) }
      return body(buffer)
    }
  }

  /// With OpenSSL's own reason.
  private static func failure(_ message: String) -> HTTPServerError {
    let reason = ERR_reason_error_string(ERR_get_error()).map { ": \(String(cString: $0))" } ?? ""
    return HTTPServerError(code: .invalidTLS, message: "\(message)\(reason).")
  }
}

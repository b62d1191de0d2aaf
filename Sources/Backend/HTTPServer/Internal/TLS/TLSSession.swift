internal import CTLS

/// One connection's TLS, on the server's side.
///
/// OpenSSL takes the handshake's steps within `receive`. It reads record by record and never ahead, and a record fits
/// into the buffer that is handed in: so what has not been delivered is in the socket, and the loop tells of it.
// unsafe: the connection's lock guards every call.
final class TLSSession: @unchecked Sendable {
  private let session: OpaquePointer
  /// Owns the transport's functions.
  private let context: TLSContext
  /// Reading goes on when the socket takes more: the handshake has something to say.
  private(set) var waitsToWrite = false
  private var hasFailed = false

  init(_ session: OpaquePointer, context: TLSContext) {
    self.session = session
    self.context = context
  }

  deinit { SSL_free(session) }

  var isEstablished: Bool { SSL_is_init_finished(session) == 1 }

  /// The certificate that the client has shown, in DER form.
  var clientCertificate: [UInt8]? {
    guard let certificate = SSL_get1_peer_certificate(session) else { return nil }
    defer { X509_free(certificate) }
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(certificate, &encoded)
    guard count > 0, let encoded else { return nil }
    defer { CRYPTO_free(encoded, #file, #line) }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Transfer {
    ERR_clear_error()
    let result = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
    waitsToWrite = result <= 0 && SSL_get_error(session, result) == SSL_ERROR_WANT_WRITE
    return transfer(result)
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Socket.Transfer {
    var sent = 0
    // OpenSSL takes a record of 16 KiB at a time, whatever the socket has room for.
    while sent < bytes.count {
      ERR_clear_error()
      let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
      let step = transfer(SSL_write(session, rest.baseAddress, Int32(clamping: rest.count)))
      guard case .bytes(let count) = step else { return sent > 0 ? .bytes(sent) : step }
      sent += count
    }
    return .bytes(sent)
  }

  /// Sends `close_notify`, as far as the socket takes it.
  func endSending() {
    guard isEstablished, !hasFailed else { return }
    ERR_clear_error()
    SSL_shutdown(session)
  }

  private func transfer(_ result: Int32) -> Socket.Transfer {
    if result > 0 { return .bytes(Int(result)) }
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
      return .wouldBlock
    case SSL_ERROR_ZERO_RETURN:
      return .ended
    default:
      hasFailed = true
      return .failed
    }
  }
}

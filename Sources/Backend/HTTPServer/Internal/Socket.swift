#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A connection's non-blocking socket: the place where bytes meet the wire, with TLS between or without.
///
/// The connection's lock guards every call.
struct Socket: Sendable {
  /// How a transfer went.
  enum Transfer: Equatable {
    case bytes(Int)
    case wouldBlock
    /// The peer sends no more.
    case ended
    case failed
  }

  let descriptor: Int32
  let tls: TLSSession?

  /// Takes over an accepted descriptor.
  init(_ descriptor: Int32, tls: TLSSession? = nil) {
    self.descriptor = descriptor
    self.tls = tls
    var one: Int32 = 1
    // Responses leave as whole messages; waiting for more would only delay them.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    #if canImport(Darwin)
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Whether the TLS handshake goes on when the socket takes more.
  var waitsToWrite: Bool { tls?.waitsToWrite ?? false }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    tls?.receive(into: buffer) ?? receiveUndecoded(into: buffer)
  }

  /// What is on the wire, for a peer that is not listened to any more.
  func receiveUndecoded(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    return count == 0 ? .ended : Self.transfer(count)
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    if let tls { return tls.send(bytes) }
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    #if canImport(Darwin)
      return Self.transfer(Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags))
    #elseif canImport(Musl)
      return Self.transfer(Musl.send(descriptor, bytes.baseAddress, bytes.count, flags))
    #else
      return Self.transfer(Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags))
    #endif
  }

  /// Tells the peer that nothing more will come.
  func endSending() {
    tls?.endSending()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes `close()` a reset, which no peer takes for a regular end.
  func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  /// A new socket for a stream, -1 with `errno` when there is none to be had.
  static func make(family: Int32) -> Int32 {
    #if canImport(Darwin) || canImport(Musl)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let descriptor = socket(family, kind, 0)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
  }

  func close() { Self.close(descriptor) }

  static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #elseif canImport(Musl)
      Musl.close(descriptor)
    #else
      Glibc.close(descriptor)
    #endif
  }

  private static func transfer(_ count: Int) -> Transfer {
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? .wouldBlock : .failed
  }
}

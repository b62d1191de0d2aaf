internal import CSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An IPv4 or IPv6 address with its port, or the path of a local socket, as the system's calls take it.
struct SocketAddress {
  private var storage = sockaddr_storage()
  private var length: socklen_t

  /// Looks a host up, which blocks for names that are not numeric.
  init(host: String, port: Int) throws(HTTPServerError) {
    guard 0...65_535 ~= port else {
      throw HTTPServerError(code: .cannotListen, message: "cannot listen on port \(port): ports end at 65535")
    }
    var hints = addrinfo()
    #if canImport(Darwin) || canImport(Musl)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    hints.ai_flags = AI_PASSIVE
    var results: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &results)
    defer { if results != nil { freeaddrinfo(results) } }
    guard status == 0, let result = results?.pointee, let address = result.ai_addr else {
      throw HTTPServerError(
        code: .cannotListen, message: "cannot listen on \(host): \(String(cString: gai_strerror(status)))")
    }
    length = result.ai_addrlen
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(result.ai_addrlen)))
    }
  }

  /// The address of a local socket's file.
  init(unixPath path: String) throws(HTTPServerError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else {
      throw HTTPServerError(
        code: .cannotListen,
        message: "cannot listen on \(path): the path of a socket has 1 to \(capacity - 1) bytes; choose a shorter one")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    length = socklen_t(MemoryLayout<sockaddr_un>.size)
    withUnsafeMutableBytes(of: &storage) { storage in
      withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
    }
  }

  /// The own address of a socket.
  init?(localOf descriptor: Int32) { self.init { getsockname(descriptor, $0, $1) } }

  /// The address of a connected socket's peer.
  init?(peerOf descriptor: Int32) { self.init { getpeername(descriptor, $0, $1) } }

  private init?(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
    }
    guard status == 0 else { return nil }
    self.length = length
  }

  var family: Int32 { Int32(storage.ss_family) }

  var port: Int {
    withUnsafeBytes(of: storage) { bytes in
      // sin_port and sin6_port stand at the same place.
      Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  /// The numeric host and the port; nothing for a local socket.
  var peer: PeerAddress {
    guard family == AF_INET || family == AF_INET6 else { return PeerAddress(host: "", port: 0) }
    var host = [CChar](repeating: 0, count: 64)
    let status = withPointer { getnameinfo($0, $1, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) }
    let bytes = host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return PeerAddress(host: status == 0 ? String(decoding: bytes, as: UTF8.self) : "", port: port)
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}

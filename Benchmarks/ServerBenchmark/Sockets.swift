#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A blocking TCP connection to this machine, -1 when it is refused.
func connectTo(_ port: Int) -> Int32 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = loopback(port)
  let status = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard status == 0 else {
    close(descriptor)
    return -1
  }
  return descriptor
}

/// A port that nobody listens on at this moment.
func freePort() -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = loopback(0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  return withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      bind(descriptor, pointer, length)
      getsockname(descriptor, pointer, &length)
    }
    return Int(UInt16(bigEndian: $0.pointee.sin_port))
  }
}

private func loopback(_ port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

extension Measurement {
  func waitUntilReachable(_ port: Int) throws {
    for _ in 0..<500 {
      let descriptor = connectTo(port)
      if descriptor >= 0 {
        close(descriptor)
        return
      }
      usleep(10_000)
    }
  }

  /// Opens many WebSockets, has each echo a message, and looks at the memory when they have been idle for some seconds.
  func idleSockets(_ port: Int, _ process: Int32) throws -> Double {
    let request =
      "GET /ws HTTP/1.1\r\nHost: x\r\nUser-Agent: a client with a name of some length\r\nUpgrade: websocket\r\n"
      + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    let message: [UInt8] = [0x82, 0x80 | 100, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 100)
    let before = try ProcessFigures(of: process).residentKiB
    var open: [Int32] = []
    defer { for descriptor in open { close(descriptor) } }
    var buffer = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<Self.sockets {
      let descriptor = connectTo(port)
      open.append(descriptor)
      let bytes = Array(request.utf8) + message
      send(descriptor, bytes, bytes.count, 0)
      var received: [UInt8] = []
      while !received.suffix(100).elementsEqual(repeatElement(7, count: 100)) {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 { break }
        received += buffer[..<count]
      }
    }
    sleep(7)
    return (try ProcessFigures(of: process).residentKiB - before) / Double(Self.sockets)
  }
}

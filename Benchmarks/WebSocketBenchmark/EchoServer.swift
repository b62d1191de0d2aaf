import BenchmarkSupport
import SwiftwaterHTTP
import SwiftwaterSockets

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Accepts WebSockets and sends every message back, as fast as a few lines can: frames of at most 125 bytes only. A
/// connection that begins with `!` gets every byte back as it is. One thread per connection.
struct EchoServer {
  private let listener: Int32
  let port: UInt16

  init() throws {
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      bind(listener, pointer, size)
      listen(listener, 16)
      getsockname(listener, pointer, &size)
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  func run() throws {
    Machine.tell("port", port)
    // The end of the program that has started this one.
    var watch = pthread_t()
    pthread_create(
      &watch, nil,
      { _ in
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
        exit(0)
      }, nil)
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      var on: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { context in
          EchoServer.serve(Int32(truncatingIfNeeded: Int(bitPattern: context)))
          return nil
        }, UnsafeMutableRawPointer(bitPattern: Int(descriptor)))
      pthread_detach(thread)
    }
  }

  private static func serve(_ descriptor: Int32) {
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var filled = 0
    func fill() -> Bool {
      let count = buffer.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled, 0)
      }
      filled += max(0, count)
      return count > 0
    }
    guard fill() else { return }
    if buffer[0] == UInt8(ascii: "!") {
      repeat {
        guard send(descriptor, buffer, 0, filled) else { return }
        filled = 0
      } while fill()
      return
    }
    while !buffer[..<filled].suffix(4).elementsEqual("\r\n\r\n".utf8) { guard fill() else { return } }
    guard let answer = answer(to: String(decoding: buffer[..<filled], as: UTF8.self)) else { return }
    guard send(descriptor, answer, 0, answer.count) else { return }
    filled = 0
    while fill() {
      // Echoed in place, two or four bytes further to the front: a server's frames carry no mask.
      var (read, written) = (0, 0)
      while filled - read >= 6 {
        let count = Int(buffer[read + 1] & 0x7F)
        guard filled - read >= count + 6 else { break }
        let isClose = buffer[read] & 0x0F == 8
        let mask = (buffer[read + 2], buffer[read + 3], buffer[read + 4], buffer[read + 5])
        buffer[written] = buffer[read]
        buffer[written + 1] = UInt8(count)
        for index in 0..<count {
          let key = index & 3 == 0 ? mask.0 : index & 3 == 1 ? mask.1 : index & 3 == 2 ? mask.2 : mask.3
          buffer[written + 2 + index] = buffer[read + 6 + index] ^ key
        }
        read += count + 6
        written += count + 2
        if isClose {
          _ = send(descriptor, buffer, 0, written)
          return
        }
      }
      guard send(descriptor, buffer, 0, written) else { return }
      let rest = filled - read
      buffer.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { memmove(base, base + read, rest) }
      }
      filled = rest
    }
  }

  private static func answer(to head: String) -> [UInt8]? {
    var request = HTTPRequest(method: .get)
    for line in head.split(separator: "\r\n").dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
      request.headerFields.append(HTTPField(name: name, value: String(parts[1].drop { $0 == " " })))
    }
    guard let handshake = try? WebSocketServerHandshake(request) else { return nil }
    let response = handshake.response(subprotocol: nil, configuration: WebSocketConfiguration()).response
    var text = "HTTP/1.1 101 Switching Protocols\r\n"
    for field in response.headerFields { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static func send(_ descriptor: Int32, _ bytes: [UInt8], _ start: Int, _ end: Int) -> Bool {
    var offset = start
    while offset < end {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: offset), end - offset) }
      guard count > 0 else { return false }
      offset += count
    }
    return true
  }
}

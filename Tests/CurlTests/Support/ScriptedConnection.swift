#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One connection of a `ScriptedServer`, with blocking calls. Everything throws once the connection is gone.
final class ScriptedConnection {
  struct Closed: Error {}

  /// 1 for the server's first connection.
  let number: Int
  private let server: ScriptedServer
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(server: ScriptedServer, descriptor: Int32, number: Int) {
    self.server = server
    self.descriptor = descriptor
    self.number = number
  }

  /// The next request's head, with its empty line.
  @discardableResult
  func readHead() throws -> String {
    var searched = 0
    while true {
      let end = Array("\r\n\r\n".utf8)
      if buffer.count >= 4 {
        for index in searched...(buffer.count - 4) where buffer[index..<index + 4].elementsEqual(end) {
          let head = String(decoding: buffer[..<(index + 4)], as: UTF8.self)
          buffer.removeFirst(index + 4)
          server.note(head: head)
          return head
        }
        searched = buffer.count - 3
      }
      try fill()
    }
  }

  func read(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// A body in chunks, as it stands on the wire.
  ///
  /// - Parameter onProgress: gets the number of bytes after each chunk.
  func readChunkedBody(onProgress: (Int) -> Void = { _ in }) throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      var line = ""
      while !line.hasSuffix("\r\n") { line += String(decoding: try read(1), as: UTF8.self) }
      let size = Int(line.dropLast(1), radix: 16) ?? 0
      body += try read(size)
      onProgress(body.count)
      _ = try read(2)
      if size == 0 { return body }
    }
  }

  /// Takes bytes until the peer closes.
  func waitForClose() {
    while (try? fill()) != nil { buffer = [] }
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    let noSignal = Int32(MSG_NOSIGNAL)
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { throw Closed() }
      offset += count
      server.note(sent: count)
    }
  }

  /// A whole response with that body.
  func respond(_ status: Int = 200, _ body: String = "", fields: String = "") throws {
    try write("HTTP/1.1 \(status) Status\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
  }

  /// Makes the close that follows a reset.
  func prepareReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends no more, but still receives.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Passes bytes on between this connection and a new one to that port, until one side closes.
  func tunnel(to port: UInt16) throws {
    let other = socket(AF_INET, streamSocket, 0)
    defer { close(other) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = port.bigEndian
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(other, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
    guard result == 0 else { throw Closed() }
    var waits = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      poll(&waits, 2, -1)
      for (index, wait) in waits.enumerated() where wait.revents != 0 {
        let count = recv(wait.fd, &chunk, chunk.count, 0)
        guard count > 0 else { throw Closed() }
        var offset = 0
        while offset < count {
          let sent = chunk[offset..<count].withUnsafeBytes {
            send(waits[1 - index].fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          guard sent > 0 else { throw Closed() }
          offset += sent
        }
      }
    }
  }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { throw Closed() }
    buffer += chunk[..<count]
  }
}

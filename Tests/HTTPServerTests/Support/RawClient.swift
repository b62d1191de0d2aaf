import Testing

@testable import SwiftwaterHTTPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A client that sends and shows bytes as they are. It never blocks a thread: it looks again some milliseconds later.
final class RawClient {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// A response with its body, as far as its head tells.
  struct Response {
    var status: Int
    var head: String
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    func field(_ name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts[0].lowercased() == name.lowercased() { return String(parts[1].drop { $0 == " " }) }
      }
      return nil
    }
  }

  private static let patience = Duration.seconds(30)

  private(set) var descriptor: Int32
  private var received: [UInt8] = []

  /// - Parameter receiveBuffer: the size of the system's buffer, to be a slow reader.
  init(port: Int, receiveBuffer: Int32? = nil) async throws {
    #if canImport(Darwin) || canImport(Musl)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw Failure(description: "no descriptor") }
    #if canImport(Darwin)
      var one: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
    #endif
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = descriptor
    try await retry("connect") {
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return status == 0 || errno == EISCONN ? true : errno == EINPROGRESS || errno == EALREADY ? nil : false
    }
  }

  deinit { close() }

  // MARK: - Sending

  func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async throws {
    var sent = 0
    while sent < bytes.count {
      try await retry("send") {
        let count = sendSome(bytes[sent...])
        if count >= 0 { sent += count }
        return count >= 0 ? true : errno == EAGAIN ? nil : false
      }
    }
  }

  /// Sends what the system takes at once: how many bytes, or -1 with `errno`.
  func sendSome(_ bytes: ArraySlice<UInt8>) -> Int {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    return bytes.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
  }

  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func close() {
    guard descriptor >= 0 else { return }
    _ = systemClose(descriptor)
    descriptor = -1
  }

  /// Closes with a reset.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    close()
  }

  // MARK: - Receiving

  /// Some bytes; empty at the end, nil after a reset.
  func receive(atMost limit: Int = 65_536) async throws -> [UInt8]? {
    if !received.isEmpty {
      defer { received = [] }
      return received
    }
    var buffer = [UInt8](repeating: 0, count: limit)
    var count = 0
    var isReset = false
    try await retry("receive") {
      count = recv(descriptor, &buffer, limit, 0)
      if count < 0, errno == ECONNRESET { isReset = true }
      return count >= 0 || isReset ? true : errno == EAGAIN ? nil : false
    }
    return isReset ? nil : Array(buffer[..<max(0, count)])
  }

  /// Everything up to the end of the connection.
  func receiveAll() async throws -> (bytes: [UInt8], isReset: Bool) {
    var all: [UInt8] = []
    while let bytes = try await receive() {
      if bytes.isEmpty { return (all, false) }
      all += bytes
    }
    return (all, true)
  }

  /// The next response.
  func response(toHead: Bool = false) async throws -> Response {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    var headEnd = 0
    while true {
      if let range = bytes.firstRange(of: end) {
        headEnd = range.upperBound
        break
      }
      bytes += try await more("a head", after: bytes)
    }
    let head = String(decoding: bytes[..<headEnd], as: UTF8.self)
    bytes.removeFirst(headEnd)
    var response = Response(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head, body: [])
    if toHead || response.status == 204 || response.status == 304 || response.status < 200 {
      received = bytes
    } else if let length = response.field("Content-Length").flatMap({ Int($0) }) {
      while bytes.count < length { bytes += try await more("a body", after: bytes) }
      response.body = Array(bytes[..<length])
      received = Array(bytes[length...])
    } else if response.field("Transfer-Encoding") == "chunked" {
      response.body = try await chunks(bytes)
    } else {
      response.body = try await bytes + receiveAll().bytes
    }
    return response
  }

  /// Sends a request and returns its response.
  func exchange(_ text: String) async throws -> Response {
    try await send(text)
    return try await response(toHead: text.hasPrefix("HEAD "))
  }

  private func chunks(_ begun: [UInt8]) async throws -> [UInt8] {
    var bytes = begun
    var body: [UInt8] = []
    while true {
      guard let line = bytes.firstRange(of: [13, 10]) else {
        bytes += try await more("a chunk size", after: bytes)
        continue
      }
      guard let size = Int(String(decoding: bytes[..<line.lowerBound], as: UTF8.self), radix: 16) else {
        throw Failure(description: "not a chunk size")
      }
      let end = line.upperBound + size + 2
      while bytes.count < end { bytes += try await more("a chunk", after: bytes) }
      guard bytes[end - 2] == 13, bytes[end - 1] == 10 else { throw Failure(description: "a chunk without an end") }
      body += bytes[line.upperBound..<end - 2]
      bytes.removeFirst(end)
      if size == 0 {
        received = bytes
        return body
      }
    }
  }

  private func more(_ what: String, after bytes: [UInt8]) async throws -> [UInt8] {
    guard let more = try await receive(), !more.isEmpty else {
      throw Failure(description: "the connection ended in \(what) after \(String(decoding: bytes, as: UTF8.self))")
    }
    return more
  }

  /// Tries until it is true; false is a failure, nil asks for another attempt.
  private func retry(_ operation: String, _ attempt: () -> Bool?) async throws {
    let deadline = ContinuousClock.now + Self.patience
    var pause = 1
    while true {
      switch attempt() {
      case true?: return
      case false?: throw Failure(description: "\(operation): \(String(cString: strerror(errno)))")
      case nil:
        guard ContinuousClock.now < deadline else { throw Failure(description: "\(operation): nothing happens") }
        try await Task.sleep(for: .milliseconds(pause))
        pause = min(pause * 2, 16)
      }
    }
  }
}

/// Sends as much as is taken, until the server's side has paused and the network between is full.
///
/// - Returns: how many bytes have been taken.
func sendUntilStuck(_ client: RawClient, _ bytes: [UInt8], _ server: HTTPServer) async throws -> Int {
  var sent = 0
  try await eventually("the server stops reading") {
    let isPaused = server.backPressure.pausedReads == 1
    while sent < bytes.count {
      let count = client.sendSome(bytes[sent...])
      if count <= 0 { return isPaused }
      sent += count
    }
    return true
  }
  return sent
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(descriptor, bytes, count, flags)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

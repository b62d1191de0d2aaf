import BenchmarkSupport
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterSockets

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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

/// Waits some seconds for somebody to listen on the port.
func waitUntilReachable(_ port: Int) {
  for _ in 0..<500 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status == 0 { return }
    usleep(10_000)
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
  private static let sockets = 1000
  /// Opened before, so that what a server needs once is not counted.
  private static let first = 50
  private static let messages = 4

  /// Opens many WebSockets to a new server, has each echo some messages of 1 KiB, and looks at the server's memory when
  /// they have been idle for some seconds.
  func idleSocketBytes(compressing: Bool) async throws -> Double {
    let (server, port) = try startOwn()
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var configuration = WebSocketConfiguration()
    if compressing { configuration.compression = .init() }
    let request = HTTPRequest(method: .get, scheme: "ws", authority: "127.0.0.1:\(port)", path: "/ws")
    var open: [any WebSocketConnection] = []
    var before = 0.0
    for number in 0..<(Self.first + Self.sockets) {
      if number == Self.first { before = Machine.residentBytes(of: server.identifier) }
      let socket = try await transport.connect(request, protocols: [], configuration: configuration)
      open.append(socket)
      for message in 0..<Self.messages {
        try await socket.send(Self.text(number * Self.messages + message))
        _ = try await socket.receive()
      }
    }
    // Memory is given back after five seconds without traffic.
    try await Task.sleep(for: .seconds(7))
    let bytes = (Machine.residentBytes(of: server.identifier) - before) / Double(Self.sockets)
    return withExtendedLifetime((server, open)) { bytes }
  }

  /// About 1 KiB of JSON that compresses as JSON does.
  private static func text(_ number: Int) -> String {
    let rows = (0..<16).map { #"{"id":\#(number * 16 + $0),"name":"row \#(number &* 7919 + $0)","isDone":false}"# }
    return "[\(rows.joined(separator: ","))]"
  }
}

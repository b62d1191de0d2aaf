import BenchmarkSupport
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterStreams

/// The server, in a process of its own. It ends when its standard input does.
enum BenchmarkServer {
  static let largeBytes = 200_000_000

  static func run() async throws {
    let sent = LockIsolated(0)
    var configuration = HTTPServer.Configuration()
    configuration.maximumBodyBytes = nil
    configuration.bodyTimeout = .seconds(600)
    let small = [UInt8](repeating: UInt8(ascii: "x"), count: 1024)
    let block = [UInt8](repeating: 7, count: 65_536)
    let server = HTTPServer(configuration: configuration) { request in
      switch request.head.path {
      case "/small": return ServerResponse(status: .ok, body: HTTPBody(small))
      case "/large":
        let rest = LockIsolated(largeBytes)
        sent.withLock { $0 = 0 }
        return ServerResponse(
          status: .ok,
          body: HTTPBody(length: .known(Int64(largeBytes))) {
            let count = rest.withLock { rest in
              defer { rest -= min(rest, block.count) }
              return min(rest, block.count)
            }
            sent.withLock { $0 += count }
            return count == 0 ? nil : Array(block.prefix(count))
          })
      case "/sent": return ServerResponse(status: .ok, body: HTTPBody("\(sent.value)"))
      case "/upload":
        var count = 0
        for try await chunk in request.body { count += chunk.count }
        return ServerResponse(status: .ok, body: HTTPBody("\(count)"))
      default:
        try await Task.sleep(for: .seconds(600))
        return ServerResponse(status: .ok)
      }
    }
    try await server.start()
    Machine.tell("port", server.port)
    await Machine.waitForEndOfInput()
    await server.stop()
  }
}

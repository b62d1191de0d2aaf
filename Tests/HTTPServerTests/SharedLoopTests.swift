import SwiftwaterEventLoop
import SwiftwaterHTTP
import SwiftwaterSockets
import TestSupport
import Testing

@testable import SwiftwaterHTTPServer

/// A server on a loop of somebody else's, where its handlers run, too.
struct SharedLoopTests {
  private func withSharedLoop(
    handler: @escaping @Sendable (EventLoop, ServerRequest) async throws -> ServerResponse,
    _ body: (HTTPServer) async throws -> Void
  ) async throws {
    let loop = try EventLoop(name: "shared")
    try await withServer({ $0.sharedLoop = loop }, handler: { try await handler(loop, $0) }, body)
    let isAlive = Signal()
    loop.perform { isAlive.fire() }
    // The server leaves the loop to its owner.
    try await isAlive.wait()
  }

  @Test("handlers run on the loop, bodies stream through it both ways")
  func streams() async throws {
    let handler: @Sendable (EventLoop, ServerRequest) async throws -> ServerResponse = { loop, request in
      guard loop.isCurrent else { return text("elsewhere", status: .internalServerError) }
      return ServerResponse(status: .ok, body: request.body)
    }
    try await withSharedLoop(handler: handler) { server in
      let size = 128 << 10
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<20 {
              // A response that begins before its request has ended is a connection's last.
              let client = try await RawClient(port: server.port)
              try await client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
              try await client.send([UInt8](repeating: 0x61, count: size))
              let answer = try await client.response()
              #expect(answer.status == 200 && answer.body.count == size)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("a WebSocket is served beside requests, and ends with the server")
  func webSocket() async throws {
    let handler: @Sendable (EventLoop, ServerRequest) async throws -> ServerResponse = { loop, request in
      guard request.head.path == "/ws" else { return text("\(loop.isCurrent)") }
      return .webSocket { connection in
        for try await message in connection.messages { try await connection.send(message) }
      }
    }
    try await withSharedLoop(handler: handler) { server in
      let socket = try await FrameClient(server, then: frame(1, Array("a".utf8)))
      #expect(try await socket.next() == (1, Array("a".utf8)))
      let client = try await RawClient(port: server.port)
      for _ in 0..<100 { #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").text == "true") }
      await server.stop()
      #expect(try await socket.next().0 == 8)
    }
  }

  @Test("a handler whose client leaves is cancelled")
  func cancellation() async throws {
    let (begun, cancelled) = (Signal(), Signal())
    let handler: @Sendable (EventLoop, ServerRequest) async throws -> ServerResponse = { _, _ in
      begun.fire()
      do {
        try await Task.sleep(for: .seconds(3600))
      } catch {
        cancelled.fire()
      }
      return text("")
    }
    try await withSharedLoop(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      try await begun.wait()
      client.close()
      try await cancelled.wait()
    }
  }
}

import SwiftwaterHTTP
import SwiftwaterHTTPServer
import TestSupport
import Testing

/// Clients that are slow, silent or gone.
struct DeadlineTests {
  /// A handler that waits for ever, and what becomes of it.
  private struct Hanging {
    let hasBegun = Signal()
    let wasCancelled = Signal()

    func callAsFunction(_ request: ServerRequest) async throws -> ServerResponse {
      hasBegun.fire()
      do {
        try await waitForCancellation()
      } catch {
        wasCancelled.fire()
        throw error
      }
      return text("")
    }
  }

  @Test("a head that drips is answered with 408")
  func headDrip() async throws {
    try await withServer {
      $0.headTimeout = .milliseconds(300)
    } handler: {
      try await echo($0)
    } _: { server in
      let client = try await RawClient(port: server.port)
      try await client.send("GET / HTTP/1.1\r\nX: ")
      // One byte after the other, until the server has shut the connection. The pause is the drip's pace, no wait: without
      // it the head would be too large before it is too late.
      while client.sendSome([0x61]) == 1 { try await Task.sleep(for: .milliseconds(10)) }
      let received = String(decoding: try await client.receiveAll().bytes, as: UTF8.self)
      #expect(received.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
      #expect(received.contains("Connection: close\r\n"))
    }
  }

  @Test("a connection without requests is closed in silence, before the first and after the last")
  func idle() async throws {
    try await withServer {
      $0.keepAliveTimeout = .milliseconds(300)
    } handler: {
      try await echo($0)
    } _: { server in
      let silent = try await RawClient(port: server.port)
      #expect(try await silent.receiveAll() == ([], false))
      // On a busy machine the request itself may come too late.
      try await eventually("a connection is closed after its request") {
        let client = try await RawClient(port: server.port)
        guard let response = try? await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n") else { return false }
        #expect(response.status == 200)
        return try await client.receiveAll() == ([], false)
      }
    }
  }

  @Test("a body that does not come is answered with 408")
  func bodyStalls() async throws {
    try await withServer {
      $0.bodyTimeout = .milliseconds(300)
    } handler: {
      try await echo($0)
    } _: { server in
      let client = try await RawClient(port: server.port)
      let response = try await client.exchange("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
      #expect(response.status == 408)
      #expect(try await client.receiveAll().bytes.isEmpty)
    }
  }

  @Test(
    "a client that does not read is given up, be the response a stream or at hand", arguments: ["/stream", "/bytes"])
  func readerStalls(_ path: String) async throws {
    let large = [UInt8](repeating: 0x61, count: 32 << 20)
    try await withServer {
      $0.bodyTimeout = .milliseconds(300)
    } handler: { request in
      if request.head.path == "/bytes" { return ServerResponse(status: .ok, body: HTTPBody(large)) }
      return ServerResponse(status: .ok, body: HTTPBody { [UInt8](repeating: 0, count: 1 << 16) })
    } _: { server in
      let client = try await RawClient(port: server.port, receiveBuffer: 4096)
      try await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.receive(atMost: 1) != nil, "it has begun")
      try await eventually("the connection is given up") { Descriptors.withLocalPort(server.port) == 1 }
      #expect(try await client.receiveAll().isReset)
    }
  }

  @Test("a slow handler is waited for, whatever the deadlines of the wire")
  func slowHandler() async throws {
    let mayAnswer = Signal()
    try await withServer {
      $0.headTimeout = .milliseconds(50)
      $0.bodyTimeout = .milliseconds(50)
    } handler: { request in
      if request.head.path == "/read" { return try await echo(request) }
      try await mayAnswer.wait()
      return text("late")
    } _: { server in
      let client = try await RawClient(port: server.port)
      try await client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
      // Others are timed out meanwhile.
      for _ in 0..<2 {
        let other = try await RawClient(port: server.port)
        #expect(try await other.exchange("PUT /read HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n").status == 408)
      }
      mayAnswer.fire()
      #expect(try await client.response().text == "late")
    }
  }

  @Test("the handler of a client that has gone is cancelled", arguments: ["close", "reset"])
  func disconnect(_ way: String) async throws {
    let hanging = Hanging()
    try await withServer(handler: hanging.callAsFunction) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      try await eventually("the handler runs") { hanging.hasBegun.isFired }
      if way == "close" { client.close() } else { client.reset() }
      try await eventually("the handler is cancelled") { hanging.wasCancelled.isFired }
      try await eventually("the socket is closed") { Descriptors.withLocalPort(server.port) == 1 }
    }
  }

  @Test("a stream for a client that has gone ends while it has nothing to say")
  func disconnectFromStream() async throws {
    let hasBegun = Signal()
    let wasCancelled = Signal()
    let handler: HTTPServer.Handler = { _ in
      ServerResponse(
        status: .ok,
        body: HTTPBody {
          guard hasBegun.isFired else {
            hasBegun.fire()
            return Array("data: 1\n\n".utf8)
          }
          do { try await waitForCancellation() } catch { wasCancelled.fire() }
          return nil
        })
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.receive()?.isEmpty == false)
      client.close()
      try await eventually("the stream is cancelled") { wasCancelled.isFired }
    }
  }

  @Test("a client that goes in the middle of its body fails the reader", arguments: ["close", "reset"])
  func disconnectInBody(_ way: String) async throws {
    let hasBegun = Signal()
    let hasFailed = Signal()
    let handler: HTTPServer.Handler = { request in
      do {
        for try await _ in request.body { hasBegun.fire() }
      } catch {
        hasFailed.fire()
        throw error
      }
      return text("")
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab")
      try await eventually("the handler reads") { hasBegun.isFired }
      if way == "close" { client.close() } else { client.reset() }
      try await eventually("the reader fails") { hasFailed.isFired }
    }
  }

  @Test("clients that break off at every point leave nothing behind")
  func storm() async throws {
    let handler: HTTPServer.Handler = { request in
      if request.head.path == "/stream" {
        return ServerResponse(status: .ok, body: HTTPBody { [UInt8](repeating: 0x61, count: 1 << 16) })
      }
      return try await echo(request)
    }
    try await withServer(handler: handler) { server in
      let requests = [
        "", "GET", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab",
        "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", "BAD\r\n\r\n",
        String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: 100),
      ]
      try await withThrowingTaskGroup { group in
        for number in 0..<280 {
          group.addTask {
            let client = try await RawClient(port: server.port)
            let request = requests[number % requests.count]
            try await client.send(request)
            if number % 4 < 2, number % requests.count > 1, number % requests.count != 3 {
              _ = try await client.receive(atMost: 10)
            }
            if number % 2 == 0 { client.close() } else { client.reset() }
          }
        }
        try await group.waitForAll()
      }
      // Who is answered now has stood behind all of them.
      let client = try await RawClient(port: server.port)
      #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
      try await eventually("only the listening socket and this one are left") {
        Descriptors.withLocalPort(server.port) == 2
      }
    }
  }
}

import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterStreams
import TestSupport
import Testing

/// Starting and stopping.
struct LifecycleTests {
  private let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test("a port in use is a typed error of one clear line")
  func portInUse() async throws {
    try await withServer(handler: echo) { server in
      var configuration = HTTPServer.Configuration()
      configuration.port = server.port
      let second = HTTPServer(configuration: configuration, handler: echo)
      let error = await #expect(throws: HTTPServerError.self) { try await second.start() }
      #expect(error?.code == .addressInUse)
      #expect(error?.message.contains("port \(server.port)") == true)
      #expect(error?.message.contains("\n") == false)
      await second.stop()
    }
  }

  @Test("an address that is not this machine's is a typed error")
  func foreignAddress() async throws {
    for host in ["192.0.2.1", "no such host"] {
      var configuration = HTTPServer.Configuration()
      configuration.host = host
      let server = HTTPServer(configuration: configuration, handler: echo)
      let error = await #expect(throws: HTTPServerError.self) { try await server.start() }
      #expect(error?.code == .cannotListen)
    }
  }

  @Test("starting twice is an error; a stopped server can be started again")
  func startTwice() async throws {
    let server = HTTPServer(handler: echo)
    #expect(server.port == 0)
    for _ in 0..<2 {
      try await server.start()
      #expect(server.port > 0)
      let error = await #expect(throws: HTTPServerError.self) { try await server.start() }
      #expect(error?.code == .alreadyRunning)
      #expect(try await RawClient(port: server.port).exchange(request).status == 200)
      await server.stop()
      await server.stop()
    }
    #expect(server.port == 0)
  }

  @Test("stopping closes idle connections at once, refuses new ones, and lets a request under way finish")
  func gracefulStop() async throws {
    let hasBegun = Signal()
    let mayAnswer = Signal()
    var configuration = HTTPServer.Configuration()
    configuration.stopGrace = .seconds(60)
    let server = HTTPServer(configuration: configuration) { request in
      if request.head.path == "/slow" {
        hasBegun.fire()
        try await mayAnswer.wait()
      }
      return text("done")
    }
    try await server.start()
    let port = server.port
    let idle = try await RawClient(port: port)
    #expect(try await idle.exchange(request).status == 200)
    let silent = try await RawClient(port: port)
    let busy = try await RawClient(port: port)
    try await busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    try await eventually("the request is under way") { hasBegun.isFired }

    let isStopped = Signal()
    let stopping = Task {
      await server.stop()
      isStopped.fire()
    }
    #expect(try await idle.receiveAll().bytes.isEmpty)
    #expect(try await silent.receiveAll().bytes.isEmpty)
    await #expect(throws: RawClient.Failure.self) { try await RawClient(port: port) }
    #expect(!isStopped.isFired)
    mayAnswer.fire()
    let response = try await busy.response()
    #expect(response.text == "done")
    #expect(response.field("Connection") == "close")
    await stopping.value
  }

  @Test("a response that is still on its way when the server stops arrives whole")
  func stopWhileSending() async throws {
    let hasAnswered = Signal()
    let size = 20_000_000
    var configuration = HTTPServer.Configuration()
    configuration.stopGrace = .seconds(60)
    let server = HTTPServer(configuration: configuration) { _ in
      hasAnswered.fire()
      return ServerResponse(status: .ok, body: HTTPBody([UInt8](repeating: 0x61, count: size)))
    }
    try await server.start()
    let client = try await RawClient(port: server.port, receiveBuffer: 64 << 10)
    try await client.send(request)
    try await eventually("the response begins") { hasAnswered.isFired }
    let stopping = Task { await server.stop() }
    #expect(try await client.response().body.count == size)
    #expect(try await client.receiveAll() == ([], false))
    await stopping.value
  }

  @Test("a handler that hangs is cancelled after the grace, and has returned when stop returns")
  func hangingHandler() async throws {
    let hasBegun = Signal()
    let wasCancelled = Signal()
    var configuration = HTTPServer.Configuration()
    configuration.stopGrace = .milliseconds(50)
    let server = HTTPServer(configuration: configuration) { _ in
      hasBegun.fire()
      do { try await waitForCancellation() } catch { wasCancelled.fire() }
      return text("")
    }
    try await server.start()
    let client = try await RawClient(port: server.port)
    try await client.send(request)
    try await eventually("the request is under way") { hasBegun.isFired }
    async let first: Void = server.stop()
    async let second: Void = server.stop()
    _ = await (first, second)
    #expect(wasCancelled.isFired)
    #expect(try await client.receiveAll().bytes.isEmpty)
  }

  @Test("cancelling the task that stops ends the grace")
  func cancelledStop() async throws {
    let hasBegun = Signal()
    var configuration = HTTPServer.Configuration()
    configuration.stopGrace = .seconds(1000)
    let server = HTTPServer(configuration: configuration) { _ in
      hasBegun.fire()
      try await waitForCancellation()
      return text("")
    }
    try await server.start()
    let client = try await RawClient(port: server.port)
    try await client.send(request)
    try await eventually("the request is under way") { hasBegun.isFired }
    let port = server.port
    let stopping = Task { await server.stop() }
    try await eventually("stopping has begun") { (try? await RawClient(port: port)) == nil }
    stopping.cancel()
    await stopping.value
    #expect(try await client.receiveAll().bytes.isEmpty)
  }

  @Test("a server that is released closes everything and cancels its handlers")
  func release() async throws {
    let hasBegun = Signal()
    let wasCancelled = Signal()
    var server: HTTPServer? = HTTPServer { request in
      if request.head.path == "/" { return text("") }
      hasBegun.fire()
      do { try await waitForCancellation() } catch { wasCancelled.fire() }
      return text("")
    }
    try await server?.start()
    let port = try #require(server?.port)
    let idle = try await RawClient(port: port)
    #expect(try await idle.exchange(request).status == 200)
    let busy = try await RawClient(port: port)
    try await busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    try await eventually("the request is under way") { hasBegun.isFired }
    weak let released = server
    server = nil
    #expect(released == nil)
    #expect(try await idle.receiveAll().bytes.isEmpty)
    #expect(try await busy.receiveAll().bytes.isEmpty)
    try await eventually("the handler is cancelled") { wasCancelled.isFired }
    try await eventually("no socket is left") { Descriptors.withLocalPort(port) == 0 }
  }

  @Test("what a handler holds is released when the server has stopped")
  func releasesHandler() async throws {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let released = held
    do {
      let server = HTTPServer { [held] _ in text(held == nil ? "no" : "yes") }
      held = nil
      try await server.start()
      let client = try await RawClient(port: server.port)
      #expect(try await client.exchange(request).text == "yes")
      await server.stop()
    }
    try await eventually("the handler is released") { released == nil }
  }

  @Test("a hundred starts and stops leave no thread, no event queue and no socket")
  func leaks() async throws {
    for _ in 0..<100 {
      let server = HTTPServer(handler: echo)
      try await server.start()
      let port = server.port
      let client = try await RawClient(port: port)
      #expect(try await client.exchange(request).status == 200)
      await server.stop()
      #expect(Descriptors.withLocalPort(port) == 0)
    }
    // Servers of other tests may run, but not a hundred.
    try await eventually("the threads are gone") { Descriptors.loopThreads() < 100 }
    try await eventually("the event queues are gone") { Descriptors.eventQueues() < 100 }
  }
}

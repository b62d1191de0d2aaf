import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("The idle timeout")
struct TimeoutTests {
  private let clock = ManualClock()
  private let transport: CurlTransport
  private let timeout = Duration.seconds(60)

  init() { transport = makeTransport(clock: clock) }

  /// Lets more time pass than the timeout, until the transport has looked at it.
  private func letTimeoutPass(_ server: ScriptedServer) async throws {
    transport.letTimePass(timeout * 10, clock)
    #expect(try await transport.send(.get(server, "/other")).1.text() == "ok")
  }

  @Test("A server that does not answer, or stops in the middle", arguments: ["", "HTTP/1.1 200 OK\r\nA: ", "body"])
  func stalled(beginning: String) async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
    try await withServer { connection in
      try connection.readHead()
      try connection.write(beginning == "body" ? head : beginning)
      connection.waitForClose()
    } _: { server in
      let hasHead = Signal()
      let isOver = Signal()
      async let kind = kind {
        defer { isOver.give() }
        let (_, body) = try await transport.send(.get(server, timeout: timeout))
        hasHead.give()
        _ = try await body.collect(upTo: 100)
      }
      #expect(await eventually { beginning == "body" ? hasHead.isGiven : server.heads.count == 1 })
      #expect(await transport.letTimePass(clock) { isOver.isGiven })
      #expect(await kind == .timeout)
      #expect(hasHead.isGiven == (beginning == "body"))
      #expect(await eventually { server.open == 0 }, "the connection is closed")
      #expect(transport.engine.liveTransferCount == 0)
    }
  }

  @Test("A slow answer that keeps moving does not fail")
  func alive() async throws {
    let mayGoOn = Signal()
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
      for number in 0..<20 {
        mayGoOn.block(until: number)
        try connection.write("x")
      }
    } _: { server in
      let (_, body) = try await transport.send(.get(server, timeout: timeout))
      var count = 0
      for try await chunk in body {
        count += chunk.count
        // The gaps are shorter than the timeout, the whole is longer by far.
        transport.letTimePass(timeout - .seconds(10), clock)
        mayGoOn.give()
      }
      #expect(count == 20)
    }
  }

  @Test("The time that a reader takes does not count")
  func slowReader() async throws {
    let block = Pattern.block
    try await withServer { connection in
      guard try connection.readHead().hasPrefix("GET / ") else { return try connection.respond(200, "ok") }
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(block.count * 20)\r\n\r\n")
      for _ in 0..<20 { try connection.write(block) }
    } _: { server in
      let (_, body) = try await transport.send(.get(server, timeout: timeout))
      #expect(await eventually { transport.engine.heldTransferCount == 1 }, "the transfer is paused")
      try await letTimeoutPass(server)
      var pattern = Pattern()
      for try await chunk in body { pattern.check(chunk) }
      #expect(pattern.count == block.count * 20)
    }
  }

  @Test("The time that a producer takes does not count, but the answer's does")
  func slowProducer() async throws {
    let isReceived = Signal()
    try await withServer { connection in
      guard try connection.readHead().hasPrefix("POST") else { return try connection.respond(200, "ok") }
      _ = try connection.readChunkedBody()
      isReceived.give()
      connection.waitForClose()
    } _: { server in
      let isFirst = LockIsolated(true)
      let stream = HTTPBody {
        #expect(await eventually { transport.engine.heldTransferCount == 1 }, "the transfer waits for this")
        try await letTimeoutPass(server)
        return isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst ? [1] : nil
        }
      }
      let isOver = Signal()
      async let kind = kind {
        defer { isOver.give() }
        _ = try await transport.send(.to(server, .post, timeout: timeout), body: stream)
      }
      #expect(await eventually { isReceived.isGiven }, "the body is through")
      #expect(await transport.letTimePass(clock) { isOver.isGiven })
      #expect(await kind == .timeout)
    }
  }

  @Test("The wait for a free connection does not count, neither here nor for the connect timeout")
  func queue() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.maximumConnectionsPerHost = 1
    configuration.connectTimeout = .seconds(1)
    let transport = makeTransport(configuration, clock: clock)
    let mayAnswer = Signal()
    try await withServer { connection in
      while true {
        let head = try connection.readHead()
        if head.hasPrefix("GET /first") { mayAnswer.block() }
        try connection.respond(200, "ok")
      }
    } _: { server in
      async let first = transport.send(.get(server, "/first"))
      #expect(await eventually { server.heads.count == 1 }, "the first request has arrived")
      async let second = transport.send(.get(server, "/second", timeout: timeout))
      #expect(await eventually { transport.engine.liveTransferCount == 2 }, "the second request waits")
      transport.letTimePass(timeout * 10, clock)
      // The connect timeout is libcurl's, which cannot be given a clock: real time has to be over.
      let end = ContinuousClock.now + configuration.connectTimeout * 1.5
      #expect(await eventually { ContinuousClock.now > end })
      mayAnswer.give()
      let texts = [try await first.1.text(), try await second.1.text()]
      #expect(texts == ["ok", "ok"])
      #expect(server.accepted == 1)
    }
  }

  @Test("A request whose timeout ends while it connects does not end one with more patience")
  func patience() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.connectTimeout = .seconds(600)
    let clock = ManualClock()
    let transport = makeTransport(configuration, clock: clock)
    // Takes connections, but never answers TLS.
    try await withServer {
      $0.waitForClose()
    } _: { server in
      func send(_ timeout: Duration) async throws {
        var request = HTTPRequest.get(server, timeout: timeout)
        request.scheme = "https"
        _ = try await transport.send(request)
      }
      async let first = kind { try await send(.seconds(1)) }
      #expect(await eventually { server.accepted == 1 })
      let second = Task { try await send(.seconds(600)) }
      #expect(await eventually { transport.engine.liveTransferCount == 2 })
      transport.letTimePass(.seconds(2), clock)
      #expect(await first == .timeout)
      #expect(await eventually { server.accepted == 2 }, "the second request tries by itself")
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
    }
  }

  @Test("Connecting counts, and the connect timeout is a connection failure")
  func connecting() async throws {
    // Reserved for documentation (RFC 5737): nobody answers. Where the network refuses it at once, this still is a
    // failure to connect.
    let request = HTTPRequest(method: .get, scheme: "http", authority: "192.0.2.1:81")
    var configuration = CurlTransport.Configuration()
    configuration.connectTimeout = .seconds(1)
    let transport = makeTransport(configuration)
    #expect(await kind { _ = try await transport.send(request) } == .connectionFailed)
  }

  @Test(
    "Requests that wait for a connection that another one opens fail when it does, not one after the other",
    arguments: [(Duration.milliseconds(500), Duration.seconds(10)), (.seconds(10), .milliseconds(500))])
  func connectingTogether(connectTimeout: Duration, timeout: Duration) async throws {
    var configuration = CurlTransport.Configuration()
    configuration.connectTimeout = connectTimeout
    let transport = makeTransport(configuration)
    // Takes connections, but never answers TLS.
    try await withServer {
      $0.waitForClose()
    } _: { server in
      var request = HTTPRequest.get(server, timeout: timeout)
      request.scheme = "https"
      let expected = connectTimeout < timeout ? HTTPError.Kind.connectionFailed : .timeout
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask { [request] in
            #expect(await kind { _ = try await transport.send(request) } == expected)
          }
        }
      }
      #expect(server.accepted < 8)
      #expect(transport.engine.liveTransferCount == 0)
    }
  }
}

import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("The idle timeout")
struct TimeoutTests {
  private let transport = makeTransport()
  private let short = Duration.seconds(1)

  @Test("A server that does not answer, or stops in the middle", arguments: ["", "HTTP/1.1 200 OK\r\nA: ", "body"])
  func stalled(beginning: String) async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
    try await withServer { connection in
      try connection.readHead()
      try connection.write(beginning == "body" ? head : beginning)
      connection.waitForClose()
    } _: { server in
      let kind = await kind {
        let (_, body) = try await transport.send(.get(server, timeout: short))
        #expect(beginning == "body")
        _ = try await body.collect(upTo: 100)
      }
      #expect(kind == .timeout)
      #expect(await eventually { server.open == 0 }, "the connection is closed")
      #expect(transport.engine.liveTransferCount == 0)
    }
  }

  @Test("A slow answer that keeps moving does not fail")
  func alive() async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
      for _ in 0..<20 {
        Signal().block(for: .milliseconds(50))
        try connection.write("x")
      }
    } _: { server in
      // Longer than the gaps by far, shorter than the whole.
      let (_, body) = try await transport.send(.get(server, timeout: .milliseconds(800)))
      #expect(try await body.collect(upTo: 100).count == 20)
    }
  }

  @Test("The time that a reader takes does not count")
  func slowReader() async throws {
    let block = Pattern.block
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(block.count * 20)\r\n\r\n")
      for _ in 0..<20 { try connection.write(block) }
    } _: { server in
      let (_, body) = try await transport.send(.get(server, timeout: short))
      try await Task.sleep(for: short * 3)
      var pattern = Pattern()
      for try await chunk in body { pattern.check(chunk) }
      #expect(pattern.count == block.count * 20)
    }
  }

  @Test("The time that a producer takes does not count, but the answer's does")
  func slowProducer() async throws {
    let isReceived = Signal()
    try await withServer { connection in
      try connection.readHead()
      _ = try connection.readChunkedBody()
      isReceived.give()
      connection.waitForClose()
    } _: { server in
      let isFirst = LockIsolated(true)
      let stream = HTTPBody {
        try await Task.sleep(for: short * 3)
        return isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst ? [1] : nil
        }
      }
      let kind = await kind { _ = try await transport.send(.to(server, .post, timeout: short), body: stream) }
      #expect(kind == .timeout)
      #expect(isReceived.isGiven)
    }
  }

  @Test("The wait for a free connection does not count, neither here nor for the connect timeout")
  func queue() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.maximumConnectionsPerHost = 1
    configuration.connectTimeout = short
    let transport = makeTransport(configuration)
    let isQueued = Signal()
    try await withServer { connection in
      while true {
        let head = try connection.readHead()
        if head.hasPrefix("GET /first") {
          isQueued.block()
          Signal().block(for: short * 3)
        }
        try connection.respond(200, "ok")
      }
    } _: { server in
      async let first = transport.send(.get(server, "/first"))
      #expect(await eventually { server.heads.count == 1 }, "the first request has arrived")
      async let second = transport.send(.get(server, "/second", timeout: short))
      #expect(await eventually { transport.engine.liveTransferCount == 2 }, "the second request waits")
      isQueued.give()
      let texts = [try await first.1.text(), try await second.1.text()]
      #expect(texts == ["ok", "ok"])
      #expect(server.accepted == 1)
    }
  }

  @Test("Connecting counts, and the connect timeout is a connection failure")
  func connecting() async throws {
    // Reserved for documentation (RFC 5737): nobody answers. Where the network refuses it at once, this still is a
    // failure to connect.
    let request = HTTPRequest(method: .get, scheme: "http", authority: "192.0.2.1:81")
    var configuration = CurlTransport.Configuration()
    configuration.connectTimeout = short
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

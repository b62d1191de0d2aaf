import SwiftwaterCurl
import SwiftwaterHTTP
import TestSupport
import Testing

@Suite("Failures")
struct FailureTests {
  private let transport = makeTransport()

  /// The error of a request to a server with that script.
  private func error(
    _ script: @escaping @Sendable (ScriptedConnection) throws -> Void
  ) async throws -> HTTPError? {
    try await withServer(script) { server in
      await #expect(throws: HTTPError.self) {
        let (_, body) = try await transport.send(.get(server, "/path?secret=1"))
        _ = try await body.collect(upTo: 1 << 20)
      }
    }
  }

  @Test("Nobody listens, or the name does not exist")
  func noConnection() async throws {
    let server = try ScriptedServer { _ in }
    server.stop()
    let isGone = await eventually {
      await kind { _ = try await transport.send(.get(server)) } == .connectionFailed
    }
    #expect(isGone, "nobody listens any more")
    let request = HTTPRequest(method: .get, scheme: "http", authority: "name.invalid", path: "/p?secret=1")
    let error = await #expect(throws: HTTPError.self) { _ = try await transport.send(request) }
    #expect(error?.kind == .connectionFailed)
    #expect(error?.message.contains("name.invalid") == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test("The server closes without an answer")
  func earlyClose() async throws {
    let error = try await error { try $0.readHead() }
    #expect(error?.kind == .connectionLost)
    #expect(error?.message.contains("Empty reply") == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test("A change of protocol that nobody has asked for, or two lengths, are no answer, whatever follows")
  func unaskedUpgrade() async throws {
    for head in [
      "101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\n",
    ] {
      let error = try await error { connection in
        try connection.readHead()
        try connection.write("HTTP/1.1 \(head)\(String(repeating: "x", count: 1_000_000))")
        connection.waitForClose()
      }
      #expect(error?.kind == .invalidResponse)
    }
  }

  @Test("The server resets the connection in the middle of the body")
  func reset() async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
      connection.prepareReset()
    }
    #expect(error?.kind == .connectionLost)
  }

  @Test(
    "The body or the head is cut off",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Len",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "HTTP/1.1 100 Continue\r\n\r\n",
    ])
  func truncated(bytes: String) async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write(bytes)
    }
    #expect(error?.kind == .connectionLost)
  }

  @Test("What arrived before the failure is delivered before it")
  func partial() async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
    } _: { server in
      let (_, body) = try await transport.send(.get(server))
      var received: [UInt8] = []
      let kind = await kind { for try await chunk in body { received += chunk } }
      #expect(kind == .connectionLost)
      #expect(received == Array("hello".utf8))
    }
  }

  @Test(
    "The answer is not HTTP",
    arguments: [
      "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n", "{\"a\":1}",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\n folded: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    ])
  func garbage(bytes: String) async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write(bytes)
    }
    #expect(error?.kind == .invalidResponse, "\(String(describing: error))")
  }

  @Test("A field that looks like a status line is no second head, whose body nobody would take")
  func secondStatusLine() async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nHTTP/x: 1\r\n\r\n")
      while true { try connection.write(String(repeating: "x", count: 100_000)) }
    }
    #expect(error?.kind == .invalidResponse)
  }

  @Test("A line of the head that libcurl cannot hold is the response's fault, and so not asked for again")
  func endlessLine() async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nA: ")
      while true { try connection.write(String(repeating: "x", count: 100_000)) }
    }
    #expect(error?.kind == .invalidResponse)
  }

  @Test("A head without end is not taken")
  func endlessHead() async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\n")
      while true { try connection.write("A: \(String(repeating: "x", count: 1000))\r\n") }
    }
    #expect(error?.kind == .invalidResponse)
  }

  @Test("A server that does not speak TLS")
  func plainServer() async throws {
    try await withServer { connection in
      try connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
      connection.waitForClose()
    } _: { server in
      var request = HTTPRequest.get(server)
      request.scheme = "https"
      #expect(await kind { _ = try await transport.send(request) } == .tls)
    }
  }
}

import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterSockets
import SwiftwaterStreams
import TestSupport
import Testing

/// The code of the `WebSocketError` that `body` throws; nil, with an issue, when it throws nothing or something else.
private func code(
  sourceLocation: SourceLocation = #_sourceLocation, of body: () async throws -> Void
) async -> WebSocketError.Code? {
  do {
    try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as WebSocketError {
    return error.code
  } catch {
    Issue.record("\(error) was thrown", sourceLocation: sourceLocation)
  }
  return nil
}

@Suite("WebSockets with Python's websockets", .enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct WebSocketTests {
  @Test("Texts and bytes of every size come back, plain and over TLS", arguments: [false, true])
  func echo(isSecure: Bool) async throws {
    let server = try await EchoServer(isSecure: isSecure)
    let transport = makeTransport(server.configuration)
    let socket = try await transport.connect(server.request())
    for count in [0, 1, 125, 126, 127, 65_535, 65_536, 1_000_003] {
      let text = String(repeating: "é", count: count / 2)
      try await socket.send(.text(text))
      #expect(try await socket.receive() == .text(text))
      let bytes = Array(Pattern.block.prefix(count))
      try await socket.send(.binary(bytes))
      #expect(try await socket.receive() == .binary(bytes))
    }
    await socket.close()
    #expect(socket.closeCode == .normalClosure)
    #expect(try await socket.receive() == nil)
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "the socket is gone")
    #expect(await eventually { server.openCount() == 0 }, "the server's too")
  }

  @Test("Compressed messages come back", arguments: [false, true])
  func compression(isSecure: Bool) async throws {
    let server = try await EchoServer(isSecure: isSecure, compresses: true)
    var configuration = WebSocketConfiguration()
    configuration.compression = WebSocketConfiguration.Compression()
    let socket = try await makeTransport(server.configuration).connect(
      server.request(), configuration: configuration)
    for count in [0, 1000, 100_000] {
      let text = String(repeating: "hello ", count: count)
      try await socket.send(text)
      #expect(try await socket.receive() == .text(text))
    }
    await socket.close()
  }

  @Test("Fields, target and subprotocols reach the server, and its choice comes back")
  func handshake() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    let fields: HTTPFields = [try #require(HTTPField.Name("X-Test")): "yes"]
    let socket = try await transport.connect(
      server.request("/about?x=1&y=%20", fields: fields), protocols: ["one", "two"])
    #expect(socket.subprotocol == "two")
    #expect(try await socket.receive() == .text("yes /about?x=1&y=%20"))
    let plain = try await transport.connect(server.request())
    #expect(plain.subprotocol == nil)
    await plain.close()
    await socket.close()
  }

  @Test("Many messages under way at a time come back in order, both ways", arguments: [false, true])
  func pipelined(isSecure: Bool) async throws {
    let server = try await EchoServer(isSecure: isSecure)
    let socket = try await makeTransport(server.configuration).connect(server.request())
    async let sending: Void = {
      for number in 0..<5000 { try await socket.send("\(number)") }
    }()
    for number in 0..<5000 { #expect(try await socket.receive() == .text("\(number)")) }
    try await sending
    await socket.close()
  }

  @Test("The peer's close ends the messages, with its code and reason")
  func peerCloses() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    let socket = try await transport.connect(server.request("/close"))
    #expect(try await socket.receive() == nil)
    #expect(socket.closeCode?.rawValue == 4001)
    #expect(socket.closeReason == "enough")
    #expect(await code { try await socket.send("x") } == .closed)
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "the socket is gone")
  }

  @Test("A connection that breaks is an error for who receives and who sends")
  func broken() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    let socket = try await transport.connect(server.request("/abort"))
    #expect(await code { _ = try await socket.receive() } == .connectionLost)
    #expect(await code { try await socket.send("x") } == .connectionLost)
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "the socket is gone")
  }

  @Test("A refusal carries the status and the server's words")
  func refusal() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    let error = await #expect(throws: WebSocketError.self) {
      _ = try await transport.connect(server.request("/refuse"))
    }
    #expect(error?.code == .refused)
    #expect(error?.status == 403)
    #expect(error?.message.contains("403 Forbidden") == true)
    #expect(error?.message.hasSuffix("not you") == true, "\(error?.message ?? "")")
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "the socket is gone")
  }

  @Test("A server that does not answer the handshake in time, and a task that is cancelled meanwhile")
  func hangs() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    let request = server.request("/hang", timeout: .milliseconds(300))
    #expect(await code { _ = try await transport.connect(request) } == .timeout)
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "the socket is gone")
    let task = Task { try await transport.connect(server.request("/hang")) }
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 1 }, "the opening is under way")
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "the socket is gone")
    #expect(await eventually { socketsConnected(to: UInt16(server.server.port)).isEmpty }, "the system's too")
  }

  @Test("A certificate that is not trusted")
  func untrusted() async throws {
    let server = try await EchoServer(isSecure: true)
    #expect(
      await code { _ = try await makeTransport(CurlTransport.Configuration()).connect(server.request()) }
        == .connectionFailed)
  }

  @Test("A reader that stops reading stops the server, and loses nothing")
  func backPressure() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    let socket = try await transport.connect(server.request("/flood"))
    #expect(await eventually { transport.webSocketEngine().heldSocketCount == 1 }, "the socket is paused")
    for number in 0..<60_000 {
      if number.isMultiple(of: 1000) { #expect(server.floodCount() - number < 50_000) }
      guard case .binary(let bytes) = try await socket.receive() else { break }
      let value = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      try #require(value == number)
      try #require(bytes.count == 1024)
    }
    #expect(try await socket.receive() == .text("end"))
    await socket.close()
  }

  @Test("A released connection says goodbye")
  func release() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    func open() async throws {
      let socket = try await transport.connect(server.request())
      try await socket.send("x")
      _ = try await socket.receive()
      #expect(await eventually { server.openCount() == 1 }, "the server has one connection")
    }
    try await open()
    #expect(await eventually { server.openCount() == 0 }, "the server knows")
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "the socket is gone")
  }

  @Test("A connection outlives its transport, and then lets go of everything")
  func life() async throws {
    let server = try await EchoServer()
    weak var engine: WebSocketEngine?
    weak var transport: CurlTransport?
    func open() async throws -> any WebSocketConnection {
      let made = makeTransport(server.configuration)
      engine = made.webSocketEngine()
      transport = made
      return try await made.connect(server.request())
    }
    func use() async throws {
      let socket = try await open()
      try await socket.send("hello")
      #expect(try await socket.receive() == .text("hello"))
      await socket.close()
    }
    try await use()
    #expect(await eventually { transport == nil }, "the transport is gone")
    #expect(await eventually { engine == nil }, "its thread has let go of the engine")
  }

  @Test("Shutting down ends what is open and what is being opened")
  func shutdown() async throws {
    let server = try await EchoServer()
    let transport = makeTransport(server.configuration)
    let socket = try await transport.connect(server.request())
    async let receiving = code { _ = try await socket.receive() }
    async let opening = code { _ = try await transport.connect(server.request("/hang")) }
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 2 }, "both are under way")
    transport.shutdown()
    #expect(await receiving == .connectionLost)
    #expect(await opening == .connectionFailed)
    #expect(await code { _ = try await transport.connect(server.request()) } == .connectionFailed)
    #expect(await eventually { server.openCount() == 0 }, "the server knows")
  }

  @Test("A server that has frozen is noticed")
  func frozen() async throws {
    let server = try await EchoServer()
    var configuration = WebSocketConfiguration()
    configuration.keepalive = WebSocketConfiguration.Keepalive(
      interval: .seconds(30), timeout: .seconds(100))
    let clock = ManualClock()
    let transport = makeTransport(server.configuration, clock: clock)
    let socket = try await transport.connect(server.request("/silent"), configuration: configuration)
    let isOver = Signal()
    async let receiving = code {
      defer { isOver.give() }
      _ = try await socket.receive()
    }
    // As long as it runs it answers pings.
    for number in 1...10 {
      transport.letTimePass(.seconds(30), clock)
      #expect(await eventually { server.pongCount() == number }, "ping \(number) is answered")
      // When another one is open, the answer has been read.
      await (try await transport.connect(server.request())).close()
    }
    #expect(!isOver.isGiven)
    server.server.freeze()
    #expect(await transport.letTimePass(clock) { isOver.isGiven })
    #expect(await receiving == .timeout)
  }

  @Test("WebSockets do not use up the connections for requests")
  func limit() async throws {
    let server = try await EchoServer()
    var configuration = server.configuration
    configuration.maximumConnectionsPerHost = 1
    let transport = makeTransport(configuration)
    var sockets: [any WebSocketConnection] = []
    for _ in 0..<20 { sockets.append(try await transport.connect(server.request())) }
    for (number, socket) in sockets.enumerated() { try await socket.send("\(number)") }
    for (number, socket) in sockets.enumerated() { #expect(try await socket.receive() == .text("\(number)")) }
    #expect(transport.webSocketEngine().liveSocketCount == 20)
  }

  @Test("Hundreds of openings, cancelled at any moment, leave no socket", arguments: [false, true])
  func storm(isSecure: Bool) async throws {
    let server = try await EchoServer(isSecure: isSecure)
    let transport = makeTransport(server.configuration)
    for round in 0..<20 {
      let opened = Signal()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            guard let socket = try? await transport.connect(server.request()) else { return }
            opened.give()
            try? await socket.send("\(number)")
            _ = try? await socket.receive()
            if number.isMultiple(of: 2) { await socket.close() }
          }
        }
        #expect(await eventually { opened.count >= round * 16 / 20 }, "so many are open")
        group.cancelAll()
      }
    }
    #expect(await eventually { transport.webSocketEngine().liveSocketCount == 0 }, "no socket is left")
    #expect(await eventually { socketsConnected(to: UInt16(server.server.port)).isEmpty }, "nor in the system")
    #expect(await eventually { server.openCount() == 0 }, "nor at the server")
  }
}

@Suite("WebSocket handshakes that go wrong")
struct WebSocketHandshakeTests {
  private let transport = makeTransport(CurlTransport.Configuration())

  private func error(
    _ script: @escaping @Sendable (ScriptedConnection) throws -> Void
  ) async throws -> WebSocketError? {
    try await withServer(script) { server in
      let request = HTTPRequest(
        method: .get, scheme: "ws", authority: server.authority, path: "/?secret", timeout: .seconds(20))
      let error = await #expect(throws: WebSocketError.self) { _ = try await transport.connect(request) }
      #expect(error?.description.contains("secret") == false)
      #expect(await eventually { server.open == 0 }, "the connection is closed")
      return error
    }
  }

  @Test(
    "Answers that are no handshake",
    arguments: [
      "HTTP/1.1 101 Switching Protocols\r\n\r\n", "SSH-2.0\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: wrong\r\n\r\n",
    ])
  func garbage(answer: String) async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write(answer)
      connection.waitForClose()
    }
    #expect(error?.code == .invalidHandshake)
  }

  @Test(
    "Refusals with a body, without one, one that is cut off, one that never ends, and a redirect",
    arguments: [
      ("401 Unauthorized\r\nContent-Length: 2\r\n\r\nno", 401, "no"), ("404 Not Found\r\n\r\nmissing", 404, "missing"),
      ("500 Oops\r\nContent-Length: 100\r\n\r\nhalf", 500, "half"), ("302 Found\r\nContent-Length: 0\r\n\r\n", 302, ""),
      ("503 Later\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", 503, ""),
    ])
  func refusals(answer: String, status: Int, words: String) async throws {
    let error = try await error { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 " + answer)
      if answer.hasPrefix("500") { connection.waitForClose() }
    }
    #expect(error?.code == .refused)
    #expect(error?.status?.code == status)
    #expect(error?.message.hasSuffix(words) == true)
  }

  @Test("A server that closes without an answer, and no server at all")
  func noAnswer() async throws {
    #expect(try await error { try $0.readHead() }?.code == .connectionFailed)
    let request = HTTPRequest(method: .get, scheme: "ws", authority: "name.invalid", timeout: .seconds(20))
    #expect(await code { _ = try await transport.connect(request) } == .connectionFailed)
  }

  @Test("A server that is slow to accept the connection is left after the connect timeout or the request's own")
  func connecting() async throws {
    let request = HTTPRequest(
      method: .get, scheme: "ws", authority: "192.0.2.1:81", timeout: .milliseconds(400))
    let code = await code { _ = try await transport.connect(request) }
    // Where the network refuses the address at once, it is a failure to connect.
    #expect(code == .timeout || code == .connectionFailed)
  }

  @Test("What cannot be asked is refused before a connection is made")
  func refusedHere() async throws {
    let request = HTTPRequest(method: .post, scheme: "ws", authority: "localhost")
    #expect(await code { _ = try await transport.connect(request) } == .invalidRequest)
  }
}

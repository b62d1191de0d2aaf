import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("HTTP/2 with Hypercorn", .enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct HTTP2Tests {
  @Test(
    "Over TLS the server's offer decides, plain connections speak HTTP/1.1, and the configuration can say otherwise")
  func versions() async throws {
    let secure = try await Hypercorn()
    var configuration = secure.configuration
    #expect(try await secure.about(makeTransport(configuration)).version == "2")
    configuration.httpVersion = .http1Only
    #expect(try await secure.about(makeTransport(configuration)).version == "1.1")
    let plain = try await Hypercorn(isSecure: false)
    configuration = plain.configuration
    #expect(try await plain.about(makeTransport(configuration)).version == "1.1")
    configuration.httpVersion = .http2PriorKnowledge
    #expect(try await plain.about(makeTransport(configuration)).version == "2")
  }

  @Test("HTTP/1.1 over TLS keeps its connection, too")
  func http1Reuse() async throws {
    let hypercorn = try await Hypercorn()
    var configuration = hypercorn.configuration
    configuration.httpVersion = .http1Only
    let transport = makeTransport(configuration)
    var ports: Set<String> = []
    for _ in 0..<5 { ports.insert(try await hypercorn.about(transport).port) }
    #expect(ports.count == 1)
  }

  /// The ports of so many requests that the server has had at the same time.
  private func meet(_ count: Int, _ hypercorn: Hypercorn, _ transport: CurlTransport) async throws -> Set<String> {
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await hypercorn.about(transport, "/meet/\(count)").port } }
      return try await group.reduce(into: []) { $0.insert($1) }
    }
  }

  @Test("64 requests at a time share one connection, and the next ones use it again")
  func multiplexing() async throws {
    let hypercorn = try await Hypercorn()
    let transport = makeTransport(hypercorn.configuration)
    let ports = try await meet(64, hypercorn, transport)
    #expect(ports.count == 1)
    #expect(try await meet(32, hypercorn, transport) == ports)
  }

  @Test("With prior knowledge, plain requests follow one another, and run at a time")
  func priorKnowledge() async throws {
    let hypercorn = try await Hypercorn(isSecure: false)
    var configuration = hypercorn.configuration
    configuration.httpVersion = .http2PriorKnowledge
    let transport = makeTransport(configuration)
    for _ in 0..<3 { #expect(try await hypercorn.about(transport).version == "2") }
    #expect(try await meet(6, hypercorn, transport).count >= 1)
  }

  @Test("More requests at a time than a connection may carry open another")
  func streamLimit() async throws {
    let hypercorn = try await Hypercorn()
    var configuration = hypercorn.configuration
    configuration.maximumStreamsPerConnection = 4
    let ports = try await meet(16, hypercorn, makeTransport(configuration))
    #expect(ports.count >= 4)
    #expect(ports.count <= 6)
  }

  @Test("A slow reader's time does not count as idle")
  func slowReader() async throws {
    let hypercorn = try await Hypercorn()
    let clock = ManualClock()
    let transport = makeTransport(hypercorn.configuration, clock: clock)
    let (_, body) = try await transport.send(hypercorn.request("/bytes/1600", timeout: .seconds(60)))
    #expect(await eventually { transport.engine.heldTransferCount == 1 }, "the transfer is paused")
    transport.letTimePass(.seconds(600), clock)
    // When this is answered, the time has been looked at.
    _ = try await hypercorn.about(transport)
    #expect(try await body.collect(upTo: 1 << 30).count == 1600 * 65_536)
  }

  @Test("Large bodies go up and down at the same time")
  func echo() async throws {
    let hypercorn = try await Hypercorn()
    let transport = makeTransport(hypercorn.configuration)
    let block = Pattern.block
    let rest = LockIsolated(20)
    let stream = HTTPBody {
      rest.withLock { rest in
        rest -= 1
        return rest >= 0 ? block : nil
      }
    }
    let (_, body) = try await transport.send(hypercorn.request("/echo", .post), body: stream)
    var pattern = Pattern()
    for try await chunk in body { pattern.check(chunk) }
    #expect(pattern.count == 20 * block.count)
    #expect(pattern.isIntact)
  }

  @Test("A body without an end is answered part by part")
  func dialogue() async throws {
    let hypercorn = try await Hypercorn()
    let transport = makeTransport(hypercorn.configuration)
    let turn = LockIsolated(0)
    let answered = LockIsolated(0)
    let stream = HTTPBody {
      let number = turn.withLock { turn in
        turn += 1
        return turn
      }
      guard number <= 5 else { return nil }
      #expect(await eventually { answered.value == number - 1 }, "part \(number - 1) has come back")
      return [UInt8(number)]
    }
    let (_, body) = try await transport.send(hypercorn.request("/echo", .post), body: stream)
    for try await chunk in body { answered.withLock { $0 += chunk.count } }
    #expect(answered.value == 5)
  }

  @Test("A cancelled request is reset, and its connection goes on", arguments: ["/wait", "/wait/body"])
  func cancellation(path: String) async throws {
    let hypercorn = try await Hypercorn()
    let transport = makeTransport(hypercorn.configuration)
    let port = try await hypercorn.about(transport).port
    let task = Task {
      let (_, body) = try await transport.send(hypercorn.request(path))
      _ = try await body.collect(upTo: 100)
    }
    #expect(try await eventually { try await hypercorn.count("waiting", transport) == 1 }, "the request has arrived")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await eventually { try await hypercorn.count("waiting", transport) == 0 }, "the server knows")
    #expect(try await hypercorn.about(transport).port == port)
    #expect(await eventually { transport.engine.liveTransferCount == 0 }, "the transfer is gone")
  }

  @Test("A dropped body is reset, and its connection goes on")
  func drop() async throws {
    let hypercorn = try await Hypercorn()
    let transport = makeTransport(hypercorn.configuration)
    func open() async throws { _ = try await transport.send(hypercorn.request("/wait/body")) }
    try await open()
    #expect(try await eventually { try await hypercorn.count("waiting", transport) == 0 }, "the server knows")
    #expect(await eventually { transport.engine.liveTransferCount == 0 }, "the transfer is gone")
  }

  @Test("A stream without a byte for too long fails alone", arguments: ["/wait", "/wait/body"])
  func idle(path: String) async throws {
    let hypercorn = try await Hypercorn()
    let clock = ManualClock()
    let transport = makeTransport(hypercorn.configuration, clock: clock)
    let port = try await hypercorn.about(transport).port
    let isOver = Signal()
    async let kind = kind {
      defer { isOver.give() }
      let (_, body) = try await transport.send(hypercorn.request(path, timeout: .seconds(60)))
      _ = try await body.collect(upTo: 100)
    }
    #expect(try await eventually { try await hypercorn.count("waiting", transport) == 1 }, "the request has arrived")
    #expect(await transport.letTimePass(clock) { isOver.isGiven })
    #expect(await kind == .timeout)
    #expect(try await eventually { try await hypercorn.count("waiting", transport) == 0 }, "the server knows")
    #expect(try await hypercorn.about(transport).port == port)
  }

  @Test("Thousands of cancelled requests leave nothing")
  func storm() async throws {
    let hypercorn = try await Hypercorn()
    let transport = makeTransport(hypercorn.configuration)
    let answered = Signal()
    for round in 0..<30 {
      let count = answered.count
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<64 {
          group.addTask {
            let path = number.isMultiple(of: 2) ? "/wait/body" : "/bytes/10"
            guard let (_, body) = try? await transport.send(hypercorn.request(path)) else { return }
            answered.give()
            _ = try? await body.collect(upTo: 1_000_000)
          }
        }
        for _ in 0..<(round % 7) { await Task.yield() }
        if round.isMultiple(of: 5) { #expect(await eventually { answered.count > count }, "one is answered") }
        group.cancelAll()
      }
    }
    #expect(await eventually { transport.engine.liveTransferCount == 0 }, "no transfer is left")
    #expect(try await eventually { try await hypercorn.count("waiting", transport) == 0 }, "the server knows")
    #expect(try await hypercorn.about(transport).version == "2")
  }
}

@Suite("HTTP/2 servers that go away", .enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct HTTP2RetryTests {
  /// The first request is answered; the second one meets what the arguments say; later ones are answered. The body of
  /// an answer is the number of the connection.
  private static let script = """
    import h2.config, h2.connection, h2.events, struct
    context = certificates()
    context.set_alpn_protocols(["h2"])
    server = listen()
    seen = 0
    def serve(client, number):
        global seen
        client = context.wrap_socket(client, server_side=True)
        connection = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=False))
        connection.initiate_connection()
        client.sendall(connection.data_to_send())
        while data := client.recv(65536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.DataReceived):
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if not isinstance(event, h2.events.StreamEnded):
                    continue
                seen += 1
                if seen == 2 and arguments[0] == "refuse":
                    connection.reset_stream(event.stream_id, error_code=7)
                elif seen == 2 and arguments[0] == "close":
                    client.close()
                    return
                elif seen == 2 and arguments[0] == "break":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    client.close()
                    return
                elif seen == 2 and arguments[0] == "reset":
                    connection.reset_stream(event.stream_id, error_code=2)
                else:
                    connection.send_headers(event.stream_id, [(":status", "200")])
                    connection.send_data(event.stream_id, str(number).encode(), end_stream=True)
            client.sendall(connection.data_to_send())
    number = 0
    while True:
        client, _ = server.accept()
        number += 1
        threading.Thread(target=serve, args=(client, number), daemon=True).start()
    """

  private func transport(_ server: PythonServer) -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorityFile = server.authorityFile
    return makeTransport(configuration)
  }

  private func request(_ server: PythonServer, _ method: HTTPRequest.Method = .get) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "https", authority: server.authority, timeout: .seconds(20))
  }

  @Test("A request that the server refuses to begin with is sent again", arguments: ["GET", "POST"])
  func refused(method: String) async throws {
    let server = try await PythonServer(Self.script, ["refuse"])
    let transport = transport(server)
    let request = request(server, HTTPRequest.Method(rawValue: method))
    let body = method == "POST" ? HTTPBody("hello") : nil
    for _ in 0..<2 {
      let (response, answer) = try await transport.send(request, body: body)
      #expect(response.status == .ok)
      #expect(try await answer.text().isEmpty == false)
    }
  }

  @Test("A stream that the server breaks is an error, and the connection goes on")
  func reset() async throws {
    let server = try await PythonServer(Self.script, ["reset"])
    let transport = transport(server)
    let request = request(server)
    #expect(try await transport.send(request).1.text() == "1")
    #expect(await kind { _ = try await transport.send(request) } == .connectionLost)
    #expect(try await transport.send(request).1.text() == "1")
  }

  @Test(
    "A kept connection that breaks under a request is replaced, unless that could repeat what the request does",
    arguments: ["close", "break"])
  func closed(way: String) async throws {
    for (method, isRepeated) in [(HTTPRequest.Method.get, true), (.put, true), (.post, false)] {
      let server = try await PythonServer(Self.script, [way])
      let transport = transport(server)
      #expect(try await transport.send(request(server)).1.text() == "1")
      let body = method == .get ? nil : HTTPBody("hello")
      if isRepeated {
        #expect(try await transport.send(request(server, method), body: body).1.text() == "2")
      } else {
        #expect(await kind { _ = try await transport.send(request(server, method), body: body) } == .connectionLost)
      }
      // The connection that libcurl has opened to send a POST again may be taken for dead, as nothing came of it.
      #expect(["2", "3"].contains(try await transport.send(request(server)).1.text()))
    }
  }

  @Test("A server that does not speak HTTP/2 after all")
  func noHTTP2() async throws {
    try await withServer { connection in
      try connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    } _: { server in
      var configuration = CurlTransport.Configuration()
      configuration.httpVersion = .http2PriorKnowledge
      let transport = makeTransport(configuration)
      #expect(await kind { _ = try await transport.send(.get(server)) } == .connectionLost)
    }
  }
}

@Suite("Flow control of HTTP/2", .enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct HTTP2FlowTests {
  /// `/bytes/N` sends so many blocks as fast as the client's windows allow; everything else says how many of these
  /// streams have no window left, and how many bytes have gone out.
  private static let script = """
    import h2.config, h2.connection, h2.events, select
    context = certificates()
    context.set_alpn_protocols(["h2"])
    server = listen()
    block = bytes(range(256)) * 64
    sent = 0
    def serve(client):
        global sent
        client = context.wrap_socket(client, server_side=True)
        connection = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=False))
        connection.initiate_connection()
        client.sendall(connection.data_to_send())
        open = {}
        while True:
            ready = [s for s in open if connection.local_flow_control_window(s) >= len(block)]
            if not ready or client.pending() or select.select([client], [], [], 0)[0]:
                data = client.recv(65536)
                if not data:
                    return
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        path = dict(event.headers)[b":path"].decode().split("/")
                        connection.send_headers(event.stream_id, [(":status", "200")])
                        if path[1] == "bytes":
                            open[event.stream_id] = int(path[2])
                        else:
                            blocked = [s for s in open if connection.local_flow_control_window(s) < len(block)]
                            answer = str(len(blocked)) + " " + str(sent)
                            connection.send_data(event.stream_id, answer.encode(), end_stream=True)
                    if isinstance(event, h2.events.StreamReset):
                        open.pop(event.stream_id, None)
            for stream in ready:
                if stream in open:
                    open[stream] -= 1
                    connection.send_data(stream, block, end_stream=open[stream] == 0)
                    sent += len(block)
                    if open[stream] == 0:
                        del open[stream]
            client.sendall(connection.data_to_send())
    while True:
        client, _ = server.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()
    """

  @Test("A reader that stops reading stops its stream, not the others, and loses nothing")
  func stalledReader() async throws {
    let server = try await PythonServer(Self.script)
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorityFile = server.authorityFile
    let transport = makeTransport(configuration)
    func request(_ path: String) -> HTTPRequest {
      HTTPRequest(method: .get, scheme: "https", authority: server.authority, path: path, timeout: .seconds(20))
    }
    let total = 4000 * 16_384
    let (_, body) = try await transport.send(request("/bytes/4000"))
    var sent = 0
    let isStopped = try await eventually {
      let answer = try await transport.send(request("/")).1.text().split(separator: " ").compactMap { Int($0) }
      sent = try #require(answer.last)
      return answer.first == 1
    }
    #expect(isStopped, "the window of the stream is used up")
    // libcurl's window for a stream, 32 MiB or less: it reads the stalled one as long as it reads others.
    #expect(sent < 40_000_000)
    var count = 0
    var isIntact = true
    for try await chunk in body {
      isIntact = isIntact && chunk.first == UInt8(truncatingIfNeeded: count)
      count += chunk.count
      isIntact = isIntact && chunk.last == UInt8(truncatingIfNeeded: count - 1)
    }
    #expect(count == total)
    #expect(isIntact)
  }
}

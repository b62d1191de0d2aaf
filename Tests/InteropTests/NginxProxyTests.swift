import Foundation
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterSockets
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("nginx as a reverse proxy before our server", .enabled(if: Nginx.program != nil, Nginx.missing))
struct NginxProxyTests {
  /// Runs our server behind nginx, which passes everything on as it comes and keeps its connections.
  private func withProxy(handler: @escaping HTTPServer.Handler, _ body: (Nginx) async throws -> Void) async throws {
    let server = HTTPServer(handler: handler)
    try await server.start()
    do {
      try await Nginx.run(
        http: """
          map $http_upgrade $connection_option { default upgrade; '' ''; }
          upstream ours { server 127.0.0.1:\(server.port); keepalive 4; }
          client_max_body_size 0;
          """,
        server: """
          location / {
            proxy_pass http://ours; proxy_http_version 1.1;
            proxy_request_buffering off; proxy_buffering off;
            proxy_set_header Host $http_host; proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_option;
          }
          """, body)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private static func answer(_ text: String) -> ServerResponse {
    ServerResponse(status: .ok, headerFields: [.contentType: "text/plain"], body: HTTPBody(text))
  }

  @Test("One connection carries request after request; methods, targets and fields arrive untouched")
  func keepAlive() async throws {
    let handler: HTTPServer.Handler = { request in
      let body = try await request.body.collect(upTo: 1000)
      let fields = request.head.headerFields[values: .other("X-Two")].joined(separator: "|")
      return Self.answer(
        "\(request.peer.port) \(request.head.method) \(request.head.path) \(fields) \(String(decoding: body, as: UTF8.self))"
      )
    }
    try await withProxy(handler: handler) { nginx in
      var ports: Set<Substring> = []
      for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "POST"] {
        for number in 0..<5 {
          let hasBody = method.hasPrefix("P")
          let (response, body) = try await nginx.fetch(
            .init(rawValue: method), "/a%2Fb/\(number)?c=%20&d", [.other("X-Two"): "x, y"],
            body: hasBody ? HTTPBody("hello") : nil)
          #expect(response.status == .ok)
          let parts = String(decoding: body, as: UTF8.self).split(separator: " ", maxSplits: 1)
          ports.insert(parts[0])
          #expect(parts[1] == "\(method) /a%2Fb/\(number)?c=%20&d x, y \(hasBody ? "hello" : "")")
        }
      }
      #expect(ports.count == 1)
      let (output, code) = try await nginx.curl("--path-as-is", "http://localhost/x/../y")
      #expect(code == 0)
      #expect(output.hasSuffix(" GET /x/../y  "))
    }
  }

  @Test("Bodies of unknown length pass as chunks in both directions")
  func chunked() async throws {
    let handler: HTTPServer.Handler = { request in
      let kind = if case .unknown = request.body.length { "unknown" } else { "known" }
      return ServerResponse(status: .ok, headerFields: [.other("X-Length"): kind], body: request.body)
    }
    try await withProxy(handler: handler) { nginx in
      let part = [UInt8](repeating: 0x61, count: 10_000)
      let left = LockIsolated(100)
      let body = HTTPBody {
        left.withLock { left in
          left -= 1
          return left >= 0 ? part : nil
        }
      }
      let (response, received) = try await nginx.fetch(.post, "/", body: body)
      #expect(response.headerFields[.other("X-Length")] == "unknown")
      #expect(response.headerFields[.contentLength] == nil)
      #expect(received.count == 1_000_000)
      let (known, _) = try await nginx.fetch(.post, "/", body: HTTPBody("hello"))
      #expect(known.headerFields[.other("X-Length")] == "known")
      let (output, code) = try await nginx.curl(
        "-H", "Transfer-Encoding: chunked", "--data-binary", "chunks of curl", "http://localhost/")
      #expect(code == 0)
      #expect(output == "chunks of curl")
    }
  }

  @Test("HEAD has the length and no body, 204 and 304 have neither, and the connection goes on")
  func bodyless() async throws {
    let handler: HTTPServer.Handler = { request in
      switch request.head.path {
      case "/204": ServerResponse(status: .noContent)
      case "/304": ServerResponse(status: 304)
      default: Self.answer("12345")
      }
    }
    try await withProxy(handler: handler) { nginx in
      for _ in 0..<3 {
        let (head, nothing) = try await nginx.fetch(.head, "/")
        #expect(head.headerFields[.contentLength] == "5")
        #expect(nothing.isEmpty)
        for (path, status) in [("/204", 204), ("/304", 304)] {
          let (response, body) = try await nginx.fetch(.get, path)
          #expect(response.status.code == status)
          #expect(body.isEmpty)
        }
        #expect(try await nginx.fetch(.get, "/").body == Array("12345".utf8))
      }
      let (output, code) = try await nginx.curl("-I", "http://localhost/")
      #expect(code == 0)
      #expect(output.contains("Content-Length: 5\r\n"))
    }
  }

  @Test("A client that waits for 100 Continue gets it, and its body arrives")
  func expectContinue() async throws {
    let handler: HTTPServer.Handler = { Self.answer("\(try await $0.body.collect(upTo: 1 << 20).count)") }
    try await withProxy(handler: handler) { nginx in
      let data = String(repeating: "x", count: 100_000)
      try Data(data.utf8).write(to: URL(filePath: "\(nginx.folder)/body"))
      let (output, code) = try await nginx.curl(
        "-v", "-H", "Expect: 100-continue", "--data-binary", "@\(nginx.folder)/body", "http://localhost/")
      #expect(code == 0)
      #expect(output.contains("100 Continue"))
      #expect(output.contains("100000"))
    }
  }

  @Test("Server-sent events come one by one, and their source ends when the client behind nginx leaves")
  func events() async throws {
    let source = LockIsolated<AsyncStream<ServerResponse.Event>.Continuation?>(nil)
    let ended = StateSource<Bool, Never>(false)
    let handler: HTTPServer.Handler = { _ in
      let (events, continuation) = AsyncStream<ServerResponse.Event>.makeStream()
      continuation.onTermination = { _ in ended.send(true) }
      source.withLock { $0 = continuation }
      return .events(events)
    }
    try await withProxy(handler: handler) { nginx in
      let reading = Task {
        let (response, body) = try await nginx.send(.get, "/")
        #expect(response.headerFields[.contentType] == "text/event-stream")
        var received = ""
        var iterator = body.makeAsyncIterator()
        for number in 0..<5 {
          // The next one is sent only when this one has come.
          source.value?.yield(ServerResponse.Event(data: "\(number)"))
          while !received.contains("data: \(number)\n\n") {
            guard let chunk = try await iterator.next() else { break }
            received += String(decoding: chunk, as: UTF8.self)
          }
        }
        return received
      }
      let received = try await reading.value
      #expect(received == (0..<5).map { "data: \($0)\n\n" }.joined())
      #expect(await eventually { ended.latest == true })
    }
  }

  @Test("A WebSocket opens through nginx, compresses, and closes with the code of either side")
  func webSocket() async throws {
    var compressing = WebSocketConfiguration()
    compressing.compression = .init(threshold: 0)
    let codes = LockIsolated<[Int]>([])
    let handler: HTTPServer.Handler = { [compressing] request in
      .webSocket(protocols: ["chat"], configuration: compressing) { connection in
        for try await message in connection.messages {
          if message == .text("bye") { return }
          try await connection.send(message)
        }
        if let code = connection.closeCode { codes.withLock { $0.append(Int(code.rawValue)) } }
      }
    }
    try await withProxy(handler: handler) { nginx in
      func connect() async throws -> any WebSocketConnection {
        try await nginx.transport.connect(
          HTTPRequest(method: .get, scheme: "ws", authority: "localhost", path: "/ws"), protocols: ["chat"],
          configuration: compressing)
      }
      let first = try await connect()
      #expect(first.subprotocol == "chat")
      for size in [0, 1, 125, 126, 70_000, 1_000_000] {
        let message = WebSocketMessage.binary((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try await first.send(message)
        #expect(try await first.receive() == message)
      }
      await first.close(code: .init(rawValue: 4001), reason: "enough")
      #expect(await eventually { codes.value == [4001] })
      let second = try await connect()
      try await second.send("bye")
      #expect(try await second.receive() == nil)
      #expect(second.closeCode == .normalClosure)
    }
  }

  @Test("A server that stops while nginx keeps connections to it does so at once, and nginx answers 502 from then on")
  func stopping() async throws {
    let server = HTTPServer { _ in Self.answer("here") }
    try await server.start()
    try await Nginx.run(
      http: "upstream ours { server 127.0.0.1:\(server.port); keepalive 4; }",
      server: "location / { proxy_pass http://ours; proxy_http_version 1.1; proxy_set_header Connection ''; }"
    ) { nginx in
      let (_, body) = try await nginx.fetch(.get, "/")
      #expect(body == Array("here".utf8))
      await server.stop()
      let (response, _) = try await nginx.fetch(.get, "/")
      #expect(response.status.code == 502)
    }
  }
}

import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterSockets
import Testing

private let authenticated: Router.Wrapper = { handler in
  { request in
    guard request.head.headerFields[.authorization] == "Bearer secret" else {
      return .failure(.unauthorized, message: "Send the token that was given to you.")
    }
    return try await handler(request)
  }
}

struct DocumentationTests {
  @Test("the first example of the module's page works as written")
  func example() async throws {
    let server = HTTPServer { request in
      switch request.head.path {
      case "/hello":
        return ServerResponse(status: .ok, headerFields: [.contentType: "text/plain"], body: HTTPBody("Hello!"))
      case "/size":
        var size = 0
        for try await chunk in request.body { size += chunk.count }
        return ServerResponse(status: .ok, body: HTTPBody("\(size)"))
      default:
        return .failure(.notFound, message: "There is nothing at \(request.head.path).")
      }
    }
    try await server.start()
    print("http://127.0.0.1:\(server.port)/hello")
    do {
      let client = try await RawClient(port: server.port)
      #expect(try await client.exchange("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").text == "Hello!")
      let size = try await client.exchange("PUT /size HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd")
      #expect(size.text == "4")
      let missing = try await client.exchange("GET /? HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(missing.status == 404)
      #expect(missing.text == #"{"code":"404","message":"There is nothing at /?."}"#)
    }
    await server.stop()
  }

  @Test("the routes of the module's page work as written")
  func routes() async throws {
    var router = Router()
    router.get("/rooms/{room}") { request in
      ServerResponse(status: .ok, body: HTTPBody("Room \(try request.parameter("room"))"))
    }
    router.group("/files", wrappedBy: [authenticated]) { files in
      files.put("/{path...}") { request in
        let content = try await request.collectBody(upTo: 1_000_000)
        return ServerResponse(status: .created, body: HTTPBody("\(content.count) bytes"))
      }
    }
    router.get("/ticks") { _ in
      .events(AsyncStream { ServerResponse.Event(event: "tick", data: "\(ContinuousClock.now)") })
    }
    router.get("/echo") { _ in
      .webSocket { connection in
        for try await message in connection.messages { try await connection.send(message) }
      }
    }
    var policy = CORSPolicy()
    policy.origins = .listed(["https://example.com"])
    let server = HTTPServer(handler: policy.wrap(router.handler))
    try await server.start()
    do {
      let client = try await RawClient(port: server.port)
      #expect(try await client.exchange("GET /rooms/a%20b HTTP/1.1\r\nHost: x\r\n\r\n").text == "Room a b")
      let put = "PUT /files/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
      #expect(try await client.exchange(put + "\r\nab").status == 401)
      #expect(try await client.exchange(put + "Authorization: Bearer secret\r\n\r\nab").text == "2 bytes")
      let allowed = try await client.exchange("GET /rooms/1 HTTP/1.1\r\nHost: x\r\nOrigin: https://example.com\r\n\r\n")
      #expect(allowed.field("Access-Control-Allow-Origin") == "https://example.com")
      try await client.send("GET /ticks HTTP/1.1\r\nHost: x\r\n\r\n")
      var received = ""
      while !received.contains("event: tick\ndata: ") {
        received += String(decoding: try #require(try await client.receive()), as: UTF8.self)
      }
      client.close()
      let socket = try await RawClient(port: server.port)
      let refused = try await socket.exchange("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(refused.status == 426)
    }
    await server.stop()
  }

  @Test("a configuration that names files that are not there says so")
  func configuration() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.tls = TLSConfiguration(
      certificateChain: .file("/etc/example/chain.pem"), privateKey: .file("/etc/example/key.pem"))
    configuration.accessLog = { entry in
      print(entry.peer, entry.method?.rawValue ?? "-", entry.path, entry.status?.code ?? 0, entry.duration)
    }
    let server = HTTPServer(configuration: configuration) { _ in ServerResponse(status: .ok) }
    let error = await #expect(throws: HTTPServerError.self) { try await server.start() }
    #expect(error?.message.contains("/etc/example/chain.pem") == true)
  }
}

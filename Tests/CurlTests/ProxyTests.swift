import Foundation
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterSockets
import TestSupport
import Testing

/// A proxy that opens tunnels, and answers requests for plain HTTP itself.
private func proxy(_ connection: ScriptedConnection) throws {
  let head = try connection.readHead()
  guard head.hasPrefix("CONNECT ") else { return try connection.respond(200, "from the proxy") }
  let authority = head.dropFirst("CONNECT ".count).prefix { $0 != " " }
  guard let port = authority.split(separator: ":").last.flatMap({ UInt16($0) }) else { return }
  try connection.write("HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
  try connection.tunnel(to: port)
}

private func transport(_ url: String, _ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport
{
  var configuration = CurlTransport.Configuration()
  configuration.proxy = .server(url)
  change(&configuration)
  return makeTransport(configuration)
}

@Suite("Proxies")
struct ProxyTests {
  @Test("A request for http goes to the proxy in absolute form, with the proxy's credentials")
  func absoluteForm() async throws {
    try await withServer(proxy) { server in
      let transport = transport("http://me:s%20cret@\(server.authority)")
      for target in ["/a/../b//c?q=%20&x='\"<>[]{}|\\^`", "/", "/?x", "/a?b?c"] {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "name.invalid:8080", path: target)
        let (_, body) = try await transport.send(request)
        #expect(try await body.text() == "from the proxy")
        let lines = try #require(server.heads.last).split(separator: "\r\n")
        #expect(lines.first == "GET http://name.invalid:8080\(target) HTTP/1.1")
        #expect(lines.contains("Host: name.invalid:8080"))
        #expect(lines.contains("Proxy-Authorization: Basic \(Data("me:s cret".utf8).base64EncodedString())"))
      }
    }
  }

  @Test("A body goes through the proxy, and its answer's redirect back to it")
  func redirect() async throws {
    try await withServer { connection in
      while true {
        let head = try connection.readHead()
        let body = head.contains("Content-Length: 5") ? try connection.read(5) : []
        if head.hasPrefix("POST http://name.invalid/old ") {
          try connection.respond(307, fields: "Location: http://other.invalid/new\r\n")
        } else {
          try connection.respond(
            200, "\(head.split(separator: "\r\n")[0]) \(String(decoding: body, as: UTF8.self))")
        }
      }
    } _: { server in
      let request = HTTPRequest(method: .post, scheme: "http", authority: "name.invalid", path: "/old")
      let (_, body) = try await transport("http://\(server.authority)").send(request, body: HTTPBody("hello"))
      #expect(try await body.text() == "POST http://other.invalid/new HTTP/1.1 hello")
    }
  }

  @Test("A SOCKS proxy carries requests, and gets the name if it is to resolve it", arguments: ["socks5", "socks5h"])
  func socks(scheme: String) async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(200, "direct")
    } _: { server in
      try await withServer { connection in
        let methods = Int(try connection.read(2)[1])
        _ = try connection.read(methods)
        try connection.write([5, 0])
        let request = try connection.read(4)
        // 1: an IPv4 address, 3: a name.
        guard request[3] == (scheme == "socks5" ? 1 : 3) else { return }
        if request[3] == 1 {
          _ = try connection.read(4)
        } else {
          let length = Int(try connection.read(1)[0])
          guard try connection.read(length) == Array("localhost".utf8) else { return }
        }
        let port = try connection.read(2)
        try connection.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
        try connection.tunnel(to: UInt16(port[0]) << 8 | UInt16(port[1]))
      } _: { socks in
        let host = scheme == "socks5" ? "127.0.0.1" : "localhost"
        let request = HTTPRequest(method: .get, scheme: "http", authority: "\(host):\(server.port)", path: "/x")
        let (_, body) = try await transport("\(scheme)://\(socks.authority)").send(request)
        #expect(try await body.text() == "direct")
        #expect(server.heads.first?.hasPrefix("GET /x HTTP/1.1\r\n") == true)
      }
    }
  }

  @Test("A proxy that refuses, is not there, or has an address that is none: no connection, and no secret is told")
  func failures() async throws {
    func check(_ url: String, scheme: String = "https") async {
      let request = HTTPRequest(method: .get, scheme: scheme, authority: "name.invalid", path: "/?secret")
      let error = await #expect(throws: HTTPError.self) { _ = try await transport(url).send(request) }
      #expect(error?.kind == .connectionFailed, "\(url): \(String(describing: error))")
      #expect(error?.description.contains("secret") == false, "\(url): \(String(describing: error))")
    }
    for status in [407, 403, 502] {
      try await withServer { connection in
        try connection.readHead()
        try connection.respond(status, "no")
      } _: { server in
        await check("http://me:secret@\(server.authority)")
      }
    }
    try await withServer { connection in
      try connection.readHead()
    } _: { server in
      await check("http://me:secret@\(server.authority)")
    }
    try await withServer { connection in
      _ = try connection.read(3)
      try connection.write([5, 255])
    } _: { server in
      await check("socks5h://me:secret@\(server.authority)")
    }
    await check("http://me:secret@proxy.invalid:1")
    await check("http://me:secret@[:::1", scheme: "http")
    await check("nonsense://me:secret@127.0.0.1:1", scheme: "http")
  }

  @Test("A description tells neither name nor password")
  func description() {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .server("http://me:secret@proxy.example:3128")
    #expect("\(configuration.proxy)" == "http://…@proxy.example:3128")
    #expect("\(configuration)".contains("secret") == false)
    #expect("\(CurlTransport.Proxy.server("http://proxy.example"))" == "http://proxy.example")
    #expect("\(CurlTransport.Proxy.server("me:a@b@proxy.example"))" == "…@proxy.example")
  }
}

@Suite("Proxies of the environment")
struct ProxyEnvironmentTests {
  @Test("http_proxy is used unless no_proxy names the host; a configured one wins, and none is none")
  func variables() async {
    // A process of its own, since the environment is the whole process's.
    await #expect(processExitsWith: .success) {
      try await withServer(proxy) { server in
        try await withServer(proxy) { other in
          setenv("http_proxy", "http://\(server.authority)", 1)
          setenv("no_proxy", "127.0.0.1", 1)
          let named = HTTPRequest(method: .get, scheme: "http", authority: "name.invalid", path: "/named")
          let excepted = HTTPRequest.get(other, "/excepted")
          let transport = CurlTransport()
          let answer = try await transport.send(named).1.text()
          #expect(answer == "from the proxy")
          #expect(server.heads.first?.hasPrefix("GET http://name.invalid/named ") == true)
          _ = try await transport.send(excepted)
          #expect(other.heads.first?.hasPrefix("GET /excepted ") == true)

          var configuration = CurlTransport.Configuration()
          configuration.proxy = .server("http://\(other.authority)")
          _ = try await CurlTransport(configuration: configuration).send(named)
          // The list of exceptions is the environment's, too.
          _ = try await CurlTransport(configuration: configuration).send(.get(server, "/configured"))
          #expect(other.heads.last?.hasPrefix("GET http://\(server.authority)/configured ") == true)
          #expect(other.heads.count == 3 && server.heads.count == 1)

          configuration.proxy = .none
          unsetenv("no_proxy")
          _ = try await CurlTransport(configuration: configuration).send(.get(other, "/direct"))
          #expect(other.heads.last?.hasPrefix("GET /direct ") == true)
        }
      }
    }
  }
}

@Suite("Tunnels", .enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct TunnelTests {
  @Test("HTTPS goes through a tunnel, which learns nothing but the host")
  func https() async throws {
    let hypercorn = try await Hypercorn()
    try await withServer(proxy) { server in
      let transport = transport("http://me:secret@\(server.authority)") {
        $0.certificateAuthorityFile = hypercorn.server.authorityFile
      }
      var request = hypercorn.request("/about?secret")
      request.headerFields = [.authorization: "Bearer secret", .userAgent: "me"]
      let (response, body) = try await transport.send(request)
      #expect(response.headerFields.contains { $0.name.canonicalName == "x-by" })
      #expect(!response.headerFields.contains { $0.name.canonicalName == "x-proxy" })
      #expect(try await body.text().hasPrefix("2 "))
      let lines = try #require(server.heads.first).split(separator: "\r\n")
      #expect(lines.first == "CONNECT \(hypercorn.server.authority) HTTP/1.1")
      #expect(!lines.contains { $0.hasPrefix("Authorization") || $0.hasPrefix("User-Agent") })
      #expect(lines.contains("Proxy-Authorization: Basic \(Data("me:secret".utf8).base64EncodedString())"))
    }
  }

  @Test("WebSockets go through a tunnel, plain ones too", arguments: [false, true])
  func webSocket(isSecure: Bool) async throws {
    let echo = try await EchoServer(isSecure: isSecure)
    try await withServer(proxy) { server in
      let transport = transport("http://\(server.authority)") {
        if isSecure { $0.certificateAuthorityFile = echo.server.authorityFile }
      }
      let socket = try await transport.connect(echo.request())
      try await socket.send("hello")
      #expect(try await socket.receive() == .text("hello"))
      #expect(server.heads.first?.hasPrefix("CONNECT \(echo.server.authority) ") == true)
      await socket.close()
    }
  }

  @Test("A proxy that refuses a WebSocket its tunnel")
  func refusal() async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(403, "no")
    } _: { server in
      let request = HTTPRequest(method: .get, scheme: "ws", authority: "name.invalid", timeout: .seconds(20))
      let error = await #expect(throws: WebSocketError.self) {
        _ = try await transport("http://\(server.authority)").connect(request)
      }
      #expect(error?.code == .connectionFailed)
    }
  }
}

@Suite("Unix domain sockets")
struct UnixSocketTests {
  @Test("Requests and WebSockets go to the configured path")
  func path() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID().uuidString.prefix(8))").path
    defer { unlink(path) }
    let server = try ScriptedServer(at: path) { connection in
      while true {
        let head = try connection.readHead()
        try connection.respond(
          head.contains("Upgrade: websocket") ? 403 : 200, String(head.split(separator: "\r\n")[0]))
      }
    }
    defer { server.stop() }
    var configuration = CurlTransport.Configuration()
    configuration.unixSocketPath = path
    let transport = makeTransport(configuration)
    let request = HTTPRequest(method: .get, scheme: "http", authority: "name.invalid", path: "/x")
    for _ in 0..<2 { #expect(try await transport.send(request).1.text() == "GET /x HTTP/1.1") }
    #expect(server.heads.first?.contains("Host: name.invalid\r\n") == true)
    #expect(server.accepted == 1)
    let error = await #expect(throws: WebSocketError.self) { _ = try await transport.connect(request) }
    #expect(error?.code == .refused)
    configuration.unixSocketPath = path + "-missing"
    #expect(await kind { _ = try await makeTransport(configuration).send(request) } == .connectionFailed)
  }
}

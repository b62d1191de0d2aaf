import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterCurl

@Suite("Redirects, decided without I/O")
struct RedirectDecisionTests {
  private static let request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/b/c/d;p?q")

  private func target(_ location: String, path: String = "/b/c/d;p?q") -> String? {
    var request = Self.request
    request.path = path
    return RedirectTarget(location, from: request).map { "\($0.scheme)://\($0.authority)\($0.path)" }
  }

  @Test(
    "The examples of RFC 3986 §5.4",
    arguments: [
      ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
      ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
      ("g;x?y#s", "/b/c/g;x?y"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
      ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"), ("../../../../g", "/g"),
      ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"),
      ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"),
      ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
      ("g?y/../x", "/b/c/g?y/../x"),
    ])
  func references(location: String, path: String) {
    #expect(target(location) == "https://a.example\(path)")
  }

  @Test("Whole addresses, other authorities, and what browsers take besides")
  func addresses() {
    #expect(target("http://b.example:8080/x?y=1#z") == "http://b.example:8080/x?y=1")
    #expect(target("HTTP://b.example") == "http://b.example/")
    #expect(target("https://b.example?x") == "https://b.example/?x")
    #expect(target("//b.example/x/../y") == "https://b.example/y")
    #expect(target("//[::1]:80/") == "https://[::1]:80/")
    #expect(target("/grün & blau") == "https://a.example/gr%C3%BCn%20&%20blau")
    #expect(target("a:b") == nil, "a scheme of its own")
    #expect(target("./a:b") == "https://a.example/b/c/a:b")
    #expect(target("x", path: "*") == "https://a.example/x")
    #expect(target("?x", path: "*") == "https://a.example/?x")
  }

  @Test(
    "What is no address for http",
    arguments: [
      "", "ftp://b.example/", "file:///etc/passwd", "javascript:alert(1)", "https://", "https:///x", "https:x",
      "https://user@b.example/", "https://user:secret@b.example/", "//", "data:text/html,x",
    ])
  func refusals(location: String) {
    #expect(target(location) == nil)
  }

  @Test("Origins are the same when scheme, host and port are, written or not")
  func origins() {
    func isSame(_ location: String, _ scheme: String, _ authority: String) -> Bool? {
      let request = HTTPRequest(method: .get, scheme: scheme, authority: authority)
      return RedirectTarget(location, from: request)?.hasOrigin(of: request)
    }
    #expect(isSame("/x", "https", "a.example") == true)
    #expect(isSame("HTTPS://A.Example:443/", "https", "a.example") == true)
    #expect(isSame("http://a.example/", "HTTP", "A.EXAMPLE:80") == true)
    #expect(isSame("https://a.example/", "http", "a.example") == false)
    #expect(isSame("https://a.example:444/", "https", "a.example") == false)
    #expect(isSame("https://b.a.example/", "https", "a.example") == false)
    #expect(isSame("https://[::1]/", "https", "[::1]:443") == true)
    #expect(isSame("https://[::1]:1/", "https", "[::1]") == false)
    #expect(isSame("http://a.example:443/", "https", "a.example:443") == false)
  }

  /// What follows a response of that status to `/new` of the same origin.
  private func next(
    _ status: Int, _ method: HTTPRequest.Method, body: HTTPBody? = nil, location: String = "/new",
    fields: HTTPFields = [:], redirects: CurlTransport.Redirects = .follow(maximum: 20)
  ) throws -> (HTTPRequest, HTTPBody?)? {
    var request = Self.request
    request.method = method
    request.headerFields = fields
    request.timeout = .seconds(7)
    let response = HTTPResponse(
      status: HTTPResponse.Status(code: status), headerFields: location.isEmpty ? [:] : [.location: location])
    var follower = RedirectFollower(redirects)
    return try follower.next(after: response, to: request, body: body)
  }

  @Test(
    "The method after each status",
    arguments: [
      (301, "GET", "GET"), (301, "HEAD", "HEAD"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "DELETE", "DELETE"),
      (302, "GET", "GET"), (302, "POST", "GET"), (302, "PATCH", "PATCH"), (303, "GET", "GET"), (303, "HEAD", "HEAD"),
      (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (307, "POST", "POST"), (307, "GET", "GET"),
      (308, "POST", "POST"), (308, "PUT", "PUT"),
    ])
  func methods(status: Int, method: String, expected: String) throws {
    let fields: HTTPFields = [
      .contentType: "text/plain", .contentLength: "4", .authorization: "Bearer x", .accept: "a/b",
    ]
    let followed = try next(status, HTTPRequest.Method(rawValue: method), body: HTTPBody("body"), fields: fields)
    let (request, body) = try #require(followed)
    #expect(request.method.rawValue == expected)
    #expect(request.path == "/new")
    #expect(request.timeout == .seconds(7))
    let isRepeated = method == expected && status != 303
    let names = request.headerFields.map(\.name)
    if isRepeated {
      #expect(body?.length == .known(4))
      #expect(names == [.contentType, .contentLength, .authorization, .accept])
    } else if method != expected {
      #expect(body == nil)
      #expect(names == [.authorization, .accept])
    }
  }

  @Test("Everything else is for the caller", arguments: [200, 201, 300, 304, 305, 306, 400])
  func others(status: Int) throws {
    #expect(try next(status, .get) == nil)
  }

  @Test("Without Location, without the wish, or without a body to repeat, the response is for the caller")
  func returned() throws {
    #expect(try next(302, .get, location: "") == nil)
    #expect(try next(302, .get, redirects: .none) == nil)
    let stream = HTTPBody { nil }
    #expect(try next(307, .post, body: stream) == nil)
    #expect(try next(302, .put, body: stream) == nil)
    #expect(try next(303, .put, body: stream)?.1 == nil)
    #expect(try next(302, .post, body: stream) != nil)
  }

  @Test("To another origin, everything that proves an identity stays behind")
  func credentials() throws {
    let names = [
      "Authorization", "proxy-authorization", "Cookie", "apikey", "X-Goog-Api-Key", "X-Firebase-AppCheck",
      "X-Firebase-GMPID", "X-Session-Token", "Host",
    ]
    var fields: HTTPFields = [.accept: "a/b"]
    for name in names { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "secret")) }
    for location in ["https://b.example/", "https://a.example:8443/", "//a.example:80/"] {
      let followed = try next(307, .get, location: location, fields: fields)
      #expect(followed?.0.headerFields == [.accept: "a/b"])
    }
    for location in ["/x", "https://a.example/", "https://A.example:443/"] {
      let followed = try next(307, .get, location: location, fields: fields)
      #expect(followed?.0.headerFields == fields)
    }
  }

  @Test("Bad addresses, https to http, and one redirect too many are errors that quote no address")
  func failures() throws {
    func error(_ location: String) throws -> HTTPError {
      try #require(throws: HTTPError.self) { _ = try next(302, .get, location: location) }
    }
    for location in ["ftp://b.example/?secret", "http://a.example/?secret", "https://me:secret@b.example/"] {
      let error = try error(location)
      #expect(error.kind == .redirectFailed)
      #expect(!error.message.contains("secret"))
    }
    var follower = RedirectFollower(.follow(maximum: 2))
    let response = HTTPResponse(status: 302, headerFields: [.location: "/x"])
    for _ in 0..<2 { #expect(try follower.next(after: response, to: Self.request, body: nil) != nil) }
    #expect(throws: HTTPError.self) { _ = try follower.next(after: response, to: Self.request, body: nil) }
  }
}

@Suite("Redirects on the wire")
struct RedirectTests {
  private let transport = makeTransport()

  /// Answers `/N` with a redirect to `/N-1`, and `/0` with what it got.
  private static func countDown(_ status: Int) -> @Sendable (ScriptedConnection) throws -> Void {
    { connection in
      while true {
        let head = try connection.readHead()
        let method = head.prefix { $0 != " " }
        let body = head.contains("Content-Length: 5\r\n") ? try connection.read(5) : []
        let number = head.dropFirst(method.count + 2).prefix { $0.isNumber }
        if let number = Int(number), number > 0 {
          try connection.respond(status, "moved", fields: "Location: \(number - 1)\r\n")
        } else {
          try connection.respond(200, "\(method) \(String(decoding: body, as: UTF8.self))")
        }
      }
    }
  }

  @Test(
    "A chain is followed on one connection, with the body where it belongs",
    arguments: [(301, "GET "), (302, "GET "), (303, "GET "), (307, "POST hello"), (308, "POST hello")])
  func chain(status: Int, expected: String) async throws {
    try await withServer(Self.countDown(status)) { server in
      let (response, body) = try await transport.send(.to(server, .post, "/5"), body: HTTPBody("hello"))
      #expect(response.status == .ok)
      #expect(try await body.text() == expected)
      #expect(server.heads.count == 6)
      #expect(server.accepted == 1)
    }
  }

  @Test("A loop ends in an error, and so does one hop more than allowed")
  func loop() async throws {
    try await withServer { connection in
      while true {
        try connection.readHead()
        try connection.respond(302, fields: "Location: /again\r\n")
      }
    } _: { server in
      #expect(await kind { _ = try await transport.send(.get(server)) } == .redirectFailed)
      #expect(server.heads.count == 21)
    }
    var configuration = CurlTransport.Configuration()
    configuration.redirects = .follow(maximum: 2)
    let strict = makeTransport(configuration)
    try await withServer(Self.countDown(302)) { server in
      let (response, _) = try await strict.send(.get(server, "/2"))
      #expect(response.status == .ok)
      #expect(await kind { _ = try await strict.send(.get(server, "/3")) } == .redirectFailed)
    }
  }

  @Test("Switched off, redirects are responses")
  func off() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.redirects = .none
    let transport = makeTransport(configuration)
    try await withServer(Self.countDown(302)) { server in
      let (response, body) = try await transport.send(.get(server, "/1"))
      #expect(response.status == 302)
      #expect(response.headerFields[.location] == "0")
      #expect(try await body.text() == "moved")
    }
  }

  @Test("A body that can be read once is not repeated: its redirect is the response")
  func single() async throws {
    try await withServer { connection in
      try connection.readHead()
      _ = try connection.readChunkedBody()
      try connection.respond(307, "elsewhere", fields: "Location: /other\r\n")
    } _: { server in
      let stream = HTTPBody.stream([Array("hello".utf8)])
      let (response, body) = try await transport.send(.to(server, .post), body: stream)
      #expect(response.status == 307)
      #expect(try await body.text() == "elsewhere")
    }
  }

  @Test("A stream that can be read again is repeated, also when its redirect comes before its end")
  func replayed() async throws {
    try await withServer { connection in
      if try connection.readHead().hasPrefix("POST /new") {
        return try connection.respond(200, "\(try connection.readChunkedBody().count)")
      }
      _ = try connection.read(10)
      try connection.respond(308, fields: "Location: /new\r\nConnection: close\r\n")
      // Closing with bytes unread would reset the connection, and could take the answer along.
      connection.waitForClose()
    } _: { server in
      let body = HTTPBody.repeated(Pattern.block)
      let (_, answer) = try await transport.send(.to(server, .post, "/old"), body: body)
      #expect(try await answer.text() == "\(Pattern.block.count)")
      #expect(await eventually { await transport.liveCount() == 0 }, "the first transfer has ended")
    }
  }

  @Test("Another origin gets the request without credentials")
  func credentials() async throws {
    let key = try #require(HTTPField.Name("apikey"))
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(200, "there")
    } _: { other in
      try await withServer { connection in
        try connection.readHead()
        try connection.respond(307, fields: "Location: http://\(other.authority)/there?x\r\n")
      } _: { server in
        let fields: HTTPFields = [.authorization: "Bearer secret", key: "secret", .prefer: "kept"]
        let (_, body) = try await transport.send(.to(server, .get, fields: fields))
        #expect(try await body.text() == "there")
        let head = try #require(other.heads.first)
        #expect(head.hasPrefix("GET /there?x HTTP/1.1"))
        #expect(head.contains("Host: \(other.authority)\r\n"))
        #expect(head.contains("Prefer: kept") && !head.contains("secret"))
      }
    }
  }

  @Test("The body of a redirect delays nothing, however long or slow it is", arguments: [10, 100_000_000])
  func unreadBody(length: Int) async throws {
    try await withServer { connection in
      if try connection.readHead().hasPrefix("GET /target") { return try connection.respond(200, "ok") }
      try connection.write("HTTP/1.1 302 Found\r\nLocation: /target\r\nContent-Length: \(length)\r\n\r\n")
      if length > 10 { for _ in 0..<100 { try connection.write(Pattern.block) } }
      connection.waitForClose()
    } _: { server in
      // The first transfer waits for its body until its time is over, or is given up.
      let (_, body) = try await transport.send(.get(server, timeout: .milliseconds(300)))
      #expect(try await body.text() == "ok")
      #expect(server.sent < 50_000_000)
      #expect(await eventually { await transport.liveCount() == 0 }, "the first transfer has ended")
      #expect(await eventually { server.open == 0 }, "its connection is closed")
    }
  }

  @Test("Each hop may take its whole timeout, and none more")
  func timeout() async throws {
    try await withServer { connection in
      while true {
        if try connection.readHead().hasPrefix("GET /end") { return connection.waitForClose() }
        try connection.respond(302, fields: "Location: /end\r\n")
      }
    } _: { server in
      let request = HTTPRequest.get(server, timeout: .milliseconds(300))
      #expect(await kind { _ = try await transport.send(request) } == .timeout)
    }
  }

  @Test("Cancellation reaches the hop that is under way")
  func cancellation() async throws {
    try await withServer { connection in
      while true {
        if try connection.readHead().hasPrefix("GET /end") { return connection.waitForClose() }
        try connection.respond(302, fields: "Location: /end\r\n")
      }
    } _: { server in
      let task = Task { try await transport.send(.get(server)) }
      #expect(await eventually { server.heads.count == 2 }, "the second hop has arrived")
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(await eventually { server.open == 0 }, "the connection is closed")
    }
  }
}

import SwiftwaterHTTP
import Testing

@testable import SwiftwaterHTTPServer

/// Routing without a server: what a table makes of a method and a target.
struct RouterTests {
  private func ask(
    _ router: Router, _ target: String, _ method: HTTPRequest.Method = .get
  ) async throws -> (status: Int, text: String, allow: String?) {
    let response = try await router.handler(ServerRequest(head: HTTPRequest(method: method, path: target)))
    let body = try await response.body.collect(upTo: 1000)
    return (response.head.status.code, String(decoding: body, as: UTF8.self), response.head.headerFields[.allow])
  }

  /// Answers with the pattern and its parameters' values.
  private func named(_ pattern: String, _ parameters: String...) -> HTTPServer.Handler {
    { request in
      let values = try parameters.map { try request.parameter($0) }
      return text(([pattern] + values).joined(separator: " "))
    }
  }

  @Test("literals beat parameters, parameters beat a rest, and each is found where it matches")
  func precedence() async throws {
    var router = Router()
    router.get("/{path...}", named("rest", "path"))
    router.get("/", named("root"))
    router.get("/a", named("a"))
    router.get("/a/{x}", named("a/x", "x"))
    router.get("/a/b", named("a/b"))
    router.get("/a/b/c", named("a/b/c"))
    router.get("/{x}/b", named("x/b", "x"))
    router.get("/{x}/b/{y}/d", named("x/b/y/d", "x", "y"))
    router.get("/files/{path...}", named("files", "path"))
    router.get("/files/{id}/info", named("info", "id"))
    let expected = [
      "/": "root", "/?q=/a": "root", "/a": "a", "/a?x": "a", "/a/": "rest a/", "/a/1": "a/x 1", "/a/b": "a/b",
      "/c/b": "x/b c", "/a/b/c": "a/b/c", "/a/b/c/d": "x/b/y/d a c", "/a/b/z/d": "x/b/y/d a z",
      "/a/b/c/e": "rest a/b/c/e",
      "/z": "rest z", "/a/b/": "rest a/b/", "/files": "files ", "/files/": "files ", "/files/a//b/": "files a//b/",
      "/files/a/info": "info a", "/files/a/info/x": "files a/info/x", "//b": "rest /b", "/A": "rest A",
      "/%61": "rest a",
    ]
    for (target, answer) in expected {
      #expect(try await ask(router, target) == (200, answer, nil), "\(target)")
    }
  }

  @Test("parameters are decoded on request and the target stays as it was")
  func decoding() async throws {
    var router = Router()
    router.get("/a/{name}/{rest...}") { request in
      let raw = try #require(request.rawParameter("name"))
      return text(
        "\(raw) \(try request.parameter("name")) \(try request.parameter("rest")) \(request.head.path) "
          + "\(request.rawParameter("other") ?? "none")")
    }
    let target = "/a/x%2Fy%20%C3%A9/%41/b?c=%41"
    #expect(try await ask(router, target).text == "x%2Fy%20%C3%A9 x/y é A/b \(target) none")
    for broken in ["%", "%4", "%4x", "%ff", "a%C3"] {
      let error = await #expect(throws: HTTPServerError.self) { try await ask(router, "/a/\(broken)/") }
      #expect(error?.code == .malformedRequest)
      #expect(error?.status == .badRequest)
    }
  }

  @Test("a parameter that the pattern does not have is the program's mistake")
  func unknownParameter() async throws {
    var router = Router()
    router.get("/{name}") { text(try $0.parameter("nmae")) }
    let error = await #expect(throws: HTTPServerError.self) { try await ask(router, "/x") }
    #expect(error?.status == .internalServerError)
    #expect(throws: HTTPServerError.self) { try ServerRequest(head: HTTPRequest(method: .get)).parameter("name") }
  }

  @Test("a path without a route is 404, a method without one 405 with Allow, OPTIONS and HEAD come from the table")
  func methods() async throws {
    var router = Router()
    router.get("/a", named("get"))
    router.put("/a", named("put"))
    router.post("/{x}", named("post", "x"))
    router.delete("/b", named("delete"))
    #expect(try await ask(router, "/a", .head).text == "get")
    #expect(try await ask(router, "/a", .post).text == "post a")
    #expect(try await ask(router, "/a", .options) == (204, "", "GET, HEAD, OPTIONS, POST, PUT"))
    let refused = try await ask(router, "/a", .patch)
    #expect(refused.status == 405)
    #expect(refused.allow == "GET, HEAD, OPTIONS, POST, PUT")
    #expect(try await ask(router, "/b", .get).allow == "DELETE, OPTIONS, POST")
    #expect(try await ask(router, "/b/c", .options).status == 404)
    #expect(try await ask(router, "*", .options) == (204, "", "DELETE, GET, HEAD, OPTIONS, POST, PUT"))
    #expect(try await ask(Router(), "/").status == 404)
  }

  @Test("a route for any method takes what no route names")
  func anyMethod() async throws {
    var router = Router()
    router.any("/api/{path...}", named("any", "path"))
    router.get("/api/a", named("a"))
    router.on(.options, "/api/b", named("options"))
    router.on(.head, "/api/a", named("head"))
    #expect(try await ask(router, "/api/a").text == "a")
    #expect(try await ask(router, "/api/a", .head).text == "head")
    #expect(try await ask(router, "/api/a", .put).text == "any a")
    #expect(try await ask(router, "/api/a", .options).text == "any a")
    #expect(try await ask(router, "/api/b", .options).text == "options")
    #expect(try await ask(router, "/api", .init(rawValue: "PURGE")).text == "any ")
    #expect(try await ask(router, "/apis").status == 404)
  }

  @Test("a group has its prefix and its wrappers, the outermost first, and touches no other route")
  func groups() async throws {
    func marking(_ mark: String) -> Router.Wrapper {
      { handler in
        { request in
          var response = try await handler(request)
          response.head.headerFields[.location] = mark + (response.head.headerFields[.location] ?? "")
          return response
        }
      }
    }
    var router = Router()
    router.get("/out", named("out"))
    router.group("/v1/{tenant}", wrappedBy: [marking("a"), marking("b")]) { group in
      group.get("/", named("root", "tenant"))
      group.group("/in", wrappedBy: [marking("c")]) { $0.get("/{x}", named("in", "tenant", "x")) }
    }
    func mark(_ target: String) async throws -> String? {
      try await router.handler(ServerRequest(head: HTTPRequest(method: .get, path: target))).head.headerFields[
        .location]
    }
    #expect(try await ask(router, "/v1/t/").text == "root t")
    #expect(try await ask(router, "/v1/t/in/1").text == "in t 1")
    #expect(try await ask(router, "/v1/t").status == 404)
    #expect(try await mark("/v1/t/") == "ab")
    #expect(try await mark("/v1/t/in/1") == "abc")
    #expect(try await mark("/out") == nil)
  }

  @Test("the table's own answers can be worded")
  func wording() async throws {
    var router = Router()
    router.get("/a", named("a"))
    router.errorResponse = { status, _ in text("\(status.code)", status: status) }
    #expect(try await ask(router, "/b") == (404, "404", nil))
    #expect(try await ask(router, "/a", .put) == (405, "405", "GET, HEAD, OPTIONS"))
  }

  @Test("the same routes in every order make the same table")
  func order() async throws {
    let patterns = ["/{p...}", "/a/{p...}", "/a/{x}", "/{x}/b", "/a/b", "/{x}/{y}/c"]
    for offset in patterns.indices {
      for isReversed in [false, true] {
        let rotated = patterns[offset...] + patterns[..<offset]
        var router = Router()
        for pattern in isReversed ? rotated.reversed() : Array(rotated) { router.get(pattern, named(pattern)) }
        for (target, pattern) in [
          "/a/b": "/a/b", "/a/c": "/a/{x}", "/c/b": "/{x}/b", "/a/b/c": "/a/{p...}", "/d/e/c": "/{x}/{y}/c",
          "/a": "/a/{p...}",
          "/d/e": "/{p...}",
        ] {
          #expect(try await ask(router, target).text == pattern, "\(target) of \(rotated)")
        }
      }
    }
  }

  @Test("a body is collected up to a limit, beyond which the client gets 413, at once if it says so beforehand")
  func collecting() async throws {
    let handler: HTTPServer.Handler = { text("\(try await $0.collectBody(upTo: 5).count)") }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      let fitting = try await client.exchange("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
      #expect(fitting.text == "5")
      let chunked = try await client.exchange(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello!\r\n0\r\n\r\n")
      #expect(chunked.status == 413)
      let announced = try await RawClient(port: server.port).exchange(
        "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n")
      #expect(announced.status == 413)
      #expect(announced.text == #"{"code":"413","message":"The request's body is larger than 5 bytes."}"#)
    }
  }

  @Test("HEAD and 405 are right on the wire")
  func wire() async throws {
    var router = Router()
    router.get("/a", named("hello"))
    try await withServer(handler: router.handler) { server in
      let client = try await RawClient(port: server.port)
      let head = try await client.exchange("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(head.field("Content-Length") == "5")
      let refused = try await client.exchange("PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
      #expect(refused.status == 405)
      #expect(refused.field("Allow") == "GET, HEAD, OPTIONS")
      #expect(try await client.exchange("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").status == 204)
    }
  }
}

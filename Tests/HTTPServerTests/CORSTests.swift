import SwiftwaterHTTP
import SwiftwaterHTTPServer
import Testing

struct CORSTests {
  private let handler: HTTPServer.Handler = { request in
    switch request.head.path {
    case "/throws": throw HTTPServerError(code: .malformedRequest, message: "no")
    case "/fails": throw CORSTests.Secret()
    case "/cancelled": throw CancellationError()
    case "/varies": return ServerResponse(status: .ok, headerFields: [.init("Vary")!: "Accept, origin"])
    default: return text("\(request.head.method)")
    }
  }

  private struct Secret: Error {}

  private func ask(
    _ policy: CORSPolicy, path: String = "/", method: HTTPRequest.Method = .get, _ fields: [(String, String)]
  ) async throws -> [String: String] {
    var head = HTTPRequest(method: method, path: path)
    for (name, value) in fields { head.headerFields.append(HTTPField(name: .init(name)!, value: value)) }
    let response = try await policy.wrap(handler)(ServerRequest(head: head))
    var answer = ["status": "\(response.head.status.code)"]
    for field in response.head.headerFields where field.name != .contentType {
      answer[field.name.canonicalName.replacing("access-control-", with: "")] = field.value
    }
    return answer
  }

  private let preflight = [
    ("Origin", "https://a.example"), ("Access-Control-Request-Method", "PUT"),
    ("Access-Control-Request-Headers", "apikey,x-a"), ("Access-Control-Request-Private-Network", "true"),
  ]
  private let preflightVary = "Access-Control-Request-Method, Access-Control-Request-Headers"

  @Test("everyone is allowed by default, without credentials and without a dependence on the origin")
  func open() async throws {
    let policy = CORSPolicy()
    #expect(try await ask(policy, []) == ["status": "200", "allow-origin": "*"])
    #expect(try await ask(policy, [("Origin", "https://a.example")]) == ["status": "200", "allow-origin": "*"])
    #expect(
      try await ask(policy, method: .options, preflight) == [
        "status": "204", "allow-origin": "*", "allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "allow-headers": "apikey,x-a", "vary": preflightVary,
      ])
  }

  @Test("fields that are granted unasked stand around those that were asked for")
  func unaskedFields() async throws {
    var policy = CORSPolicy()
    policy.requestHeaders = .anyBetween([.authorization], [.accept])
    #expect(
      try await ask(policy, method: .options, preflight)["allow-headers"] == "Authorization, apikey, x-a, Accept")
    #expect(
      try await ask(policy, method: .options, Array(preflight.prefix(2)))["allow-headers"] == "Authorization, Accept")
  }

  @Test("listed origins get their own name and every response says that it depends on it")
  func listed() async throws {
    var policy = CORSPolicy()
    policy.origins = .listed(["https://a.example"])
    policy.methods = [.get, .put]
    policy.requestHeaders = .listed([.authorization, .contentType])
    policy.exposedHeaders = [.contentRange, .location]
    policy.allowsCredentials = true
    policy.allowsPrivateNetwork = true
    policy.maximumAge = .seconds(600)
    #expect(
      try await ask(policy, method: .options, preflight) == [
        "status": "204", "allow-origin": "https://a.example", "allow-credentials": "true", "allow-methods": "GET, PUT",
        "allow-headers": "Authorization, Content-Type", "allow-private-network": "true", "max-age": "600",
        "vary": "Origin, \(preflightVary), Access-Control-Request-Private-Network",
      ])
    #expect(
      try await ask(policy, [("Origin", "https://a.example")]) == [
        "status": "200", "allow-origin": "https://a.example", "allow-credentials": "true",
        "expose-headers": "Content-Range, Location", "vary": "Origin",
      ])
    for origin in ["https://b.example", "https://a.example.b", "http://a.example", "null"] {
      #expect(try await ask(policy, [("Origin", origin)]) == ["status": "200", "vary": "Origin"])
      let refused = [("Origin", origin)] + preflight.dropFirst()
      #expect(try await ask(policy, method: .options, refused)["allow-origin"] == nil)
      #expect(try await ask(policy, method: .options, refused)["allow-methods"] == nil)
    }
    #expect(try await ask(policy, []) == ["status": "200", "vary": "Origin"])
  }

  @Test("a function decides, and credentials for any origin name the origin")
  func matching() async throws {
    var policy = CORSPolicy()
    policy.origins = .matching { $0.hasPrefix("http://localhost:") }
    #expect(try await ask(policy, [("Origin", "http://localhost:3000")])["allow-origin"] == "http://localhost:3000")
    #expect(try await ask(policy, [("Origin", "http://localhost.b")])["allow-origin"] == nil)
    policy.origins = .any
    policy.allowsCredentials = true
    #expect(try await ask(policy, [("Origin", "https://b")])["allow-origin"] == "https://b")
    #expect(try await ask(policy, [])["allow-origin"] == nil)
  }

  @Test("OPTIONS that is no preflight reaches the handler, an existing Vary is kept and nothing in it doubled")
  func passing() async throws {
    var policy = CORSPolicy()
    policy.origins = .listed([])
    #expect(try await ask(policy, method: .options, [("Origin", "https://a")])["status"] == "200")
    #expect(try await ask(policy, method: .options, [("Access-Control-Request-Method", "PUT")])["status"] == "200")
    #expect(try await ask(policy, path: "/varies", [])["vary"] == "Accept, origin")
  }

  @Test("a failure of the handler is told to scripts too, a cancellation is passed on")
  func failures() async throws {
    let policy = CORSPolicy()
    #expect(try await ask(policy, path: "/throws", []) == ["status": "400", "allow-origin": "*"])
    #expect(try await ask(policy, path: "/fails", []) == ["status": "500", "allow-origin": "*"])
    await #expect(throws: CancellationError.self) { try await ask(policy, path: "/cancelled", []) }
  }
}

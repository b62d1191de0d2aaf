// The snippets of the modules' pages that no other test runs.
import FoundationEssentials
import PostgREST
import SupabaseServices
import SwiftwaterEventLoop
import SwiftwaterHTTP
import SwiftwaterStreams
import SwiftwaterTokens
import TestSupport
import Testing

struct Greeting: ClientMiddleware {
  func intercept(
    _ request: HTTPRequest, body: HTTPBody?, next: Next
  ) async throws -> (HTTPResponse, HTTPBody) {
    var request = request
    request.headerFields[.userAgent] = "hello/1.0"
    return try await next(request, body)
  }
}

private func report(_ error: some SupabaseError) -> String {
  [error.message, error.response?.requestID.map { "request \($0)" }].compactMap { $0 }.joined(separator: ", ")
}

@Suite("Snippets of the modules' pages")
struct PageSnippets {
  @Test("A middleware changes what the transport sees")
  func middleware() async throws {
    struct Echo: ClientTransport {
      func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        (HTTPResponse(status: .ok), HTTPBody(request.headerFields[.userAgent] ?? ""))
      }
    }
    let client = HTTPClient(configuration: .init(transport: Echo(), middlewares: [Greeting()]))
    let body = try await client.send(HTTPRequest(method: .get)).1
    #expect(try await body.collect(upTo: 100) == Array("hello/1.0".utf8))
  }

  @Test("An error tells its message and request")
  func errors() throws {
    let name = try #require(HTTPField.Name("sb-request-id"))
    let response = HTTPErrorResponse(statusCode: 500, headers: [name: "r-1"], body: [])
    #expect(report(PostgrestError(kind: .server, message: "no", response: response)) == "no, request r-1")
  }

  @Test("A loop runs what it is given")
  func eventLoop() async throws {
    let ran = LockIsolated(false)
    let loop = try EventLoop(name: "example")
    loop.perform { print("on the loop's thread") }
    loop.perform { ran.withLock { $0 = true } }
    #expect(await eventually { ran.value })
    loop.stop()
  }

  @Test("A signed token verifies")
  func tokens() throws {
    let secret = "a secret of this test, long enough"
    let verifier = JWTVerifier(JWTSettings(keys: try JWTKeySet(secret)))
    let token = JSONWebToken.sign(claims: #"{"role":"authenticated","sub":"ada"}"#, secret: secret)
    let verified = try verifier.verify(token)
    print(verified.values["role"] ?? "no role")
    #expect(verified.values["role"] == "authenticated")
  }
}

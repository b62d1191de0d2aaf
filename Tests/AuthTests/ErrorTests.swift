import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Errors")
struct ErrorTests {
  struct Form: Sendable, CustomTestStringConvertible {
    let name: String
    let reply: FakeTransport.Reply
    let code: ErrorCode
    let message: String
    var testDescription: String { name }
  }

  static let forms: [Form] = [
    Form(
      name: "since 2024",
      reply: .init(status: 400, body: #"{"code":"invalid_credentials","message":"Invalid login credentials"}"#),
      code: .invalidCredentials, message: "Invalid login credentials"),
    Form(
      name: "before 2024",
      reply: .init(
        status: 422,
        body: #"{"code":422,"error_code":"user_already_exists","msg":"User already registered","error_id":"e"}"#),
      code: .userAlreadyExists, message: "User already registered"),
    Form(
      name: "without a code", reply: .init(status: 404, body: #"{"code":404,"msg":"User not found"}"#), code: .unknown,
      message: "User not found"),
    Form(
      name: "OAuth's",
      reply: .init(status: 400, body: #"{"error":"invalid_grant","error_description":"Invalid code"}"#),
      code: .invalidGrant, message: "Invalid code"),
    Form(
      name: "a phrase", reply: .init(status: 500, body: #"{"error":"Internal Server Error"}"#), code: .unknown,
      message: "Internal Server Error"),
    Form(
      name: "the gateway's", reply: .init(status: 401, body: #"{"message":"Invalid API key","hint":"Check it"}"#),
      code: .unknown, message: "Invalid API key"),
    Form(
      name: "a page", reply: .init(status: 502, body: "<html><h1>Bad Gateway</h1></html>"), code: .unknown,
      message: "The server answered 502 Bad Gateway."),
    Form(
      name: "nothing", reply: .init(status: 530, body: ""), code: .unknown, message: "The server answered 530."),
    Form(
      name: "a code that nobody knows yet", reply: .refusal(418, "teapot", "short and stout"), code: "teapot",
      message: "short and stout"),
  ]

  @Test("Every form of refusal is one error, with the response in it", arguments: forms)
  func refusal(form: Form) async throws {
    var reply = form.reply
    reply.fields = [HTTPField.Name(unchecked: "sb-request-id"): "r-1"]
    let world = try World { [reply] _ in reply }
    let error = await failure { try await world.client.signIn(email: "a@example.com", password: "p") }
    #expect(error?.kind == .server && error?.errorCode == form.code && error?.message == form.message)
    #expect(error?.status == form.reply.status && error?.requestID == "r-1")
    #expect(error?.response.map { String(decoding: $0.body, as: UTF8.self) } == form.reply.body)
    let root: any SupabaseError = try #require(error)
    #expect(root.message == form.message && root.errorDescription == form.message)
    #expect("\(root)".contains("\(form.reply.status)") && "\(root)".contains("r-1"))
  }

  @Test("A weak password is refused with the reasons")
  func weakPassword() async throws {
    let world = try World { _ in
      .init(
        status: 422,
        body: #"{"code":"weak_password","message":"Too weak","weak_password":{"reasons":["length","pwned"]}}"#)
    }
    let error = await failure { try await world.client.signUp(email: "a@example.com", password: "p") }
    #expect(error?.errorCode == .weakPassword && error?.weakPasswordReasons == ["length", "pwned"])
    #expect("\(try #require(error))".hasSuffix("(length, pwned)"))
  }

  @Test("An answer that does not fit tells the place, and nothing that stood there")
  func decoding() async throws {
    let body = Sample.session().replacing("2024-04-01T17:05:13.013312Z", with: "yesterday, secret")
    let world = try World { _ in .init(body: body) }
    let error = await failure { try await world.client.signIn(email: "a@example.com", password: "p") }
    #expect(error?.kind == .decoding && error?.message.contains("user.created_at") == true)
    #expect(error?.message.contains("secret") == false && error?.response?.statusCode == 200)
    #expect(world.client.currentSession == nil)
  }

  @Test("Dates are read with any number of digits, and keep microseconds on the way out and back")
  func dates() throws {
    for (digits, expected) in [
      ("", "13Z"), (".1", "13.1Z"), (".123", "13.123Z"), (".123456", "13.123456Z"), (".123456789", "13.123457Z"),
    ] {
      let text = Sample.user().replacing("13.013312Z", with: "13\(digits)+00:00")
      let user = try AuthClient.Configuration.jsonDecoder.decode(User.self, from: Data(text.utf8))
      #expect(ISO8601.string(from: user.createdAt) == "2024-04-01T17:05:\(expected)")
      let written = try AuthClient.Configuration.jsonEncoder.encode(user)
      let again = try AuthClient.Configuration.jsonDecoder.decode(User.self, from: written)
      #expect(ISO8601.string(from: again.createdAt) == ISO8601.string(from: user.createdAt))
      var session = try Sample.stored()
      session.user = user
      #expect(try SessionLayout.decode(SessionLayout.encode(session)) == session)
    }
  }

  @Test("A token's provider that fails is told as such")
  func accessToken() async throws {
    struct Broken: Error {}
    let world = try World(configure: { $0.http.middlewares.append(AccessTokenMiddleware { throw Broken() }) })
    let error = await failure { try await world.client.health() }
    #expect(error?.kind == .accessToken && error?.underlyingError is Broken)
  }

  @Test("Reads are tried again after refusals that may pass, everything else only if no connection came about")
  func retries() async throws {
    struct Expectation {
      let count: Int
      let reply: FakeTransport.Answer
      let call: @Sendable (AuthClient) async throws -> Void
    }
    let broken: FakeTransport.Answer = { _ in throw HTTPError(kind: .connectionLost, message: "") }
    let unreachable: FakeTransport.Answer = { _ in throw HTTPError(kind: .connectionFailed, message: "") }
    let read: @Sendable (AuthClient) async throws -> Void = { _ = try await $0.user(jwt: "t") }
    let write: @Sendable (AuthClient) async throws -> Void = { try await $0.signIn(email: "a", password: "b") }
    var expectations = [408, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530].map { status in
      Expectation(count: 3, reply: { _ in .init(status: status) }, call: read)
    }
    expectations += [400, 401, 403, 404, 422, 429, 501].map { status in
      Expectation(count: 1, reply: { _ in .init(status: status) }, call: read)
    }
    expectations += [408, 429, 500, 503, 520].map { status in
      Expectation(count: 1, reply: { _ in .init(status: status, fields: [.retryAfter: "1"]) }, call: write)
    }
    expectations += [
      Expectation(count: 3, reply: { _ in .init(status: 429, fields: [.retryAfter: "1"]) }, call: read),
      Expectation(count: 3, reply: broken, call: read), Expectation(count: 1, reply: broken, call: write),
      Expectation(count: 3, reply: unreachable, call: read), Expectation(count: 3, reply: unreachable, call: write),
    ]
    for expectation in expectations {
      let world = try World(answer: expectation.reply)
      let client = world.client
      let isDone = LockIsolated(false)
      let task = Task {
        let error = await failure { try await expectation.call(client) }
        isDone.withLock { $0 = true }
        return error
      }
      while await eventually({ isDone.value || world.clock.pendingSleeps > 0 }), !isDone.value {
        world.clock.advance(by: .seconds(20))
      }
      let error = await task.value
      #expect(error != nil && world.server.exchanges.count == expectation.count, "\(String(describing: error))")
    }
    let once = try World(answer: unreachable) { $0.retryEnabled = false }
    #expect(await kind { try await once.client.user(jwt: "t") } == .transport)
    #expect(once.server.exchanges.count == 1)
  }

  @Test("All users come in one loop, and a page that leads nowhere ends it")
  func paging() async throws {
    let world = try World { exchange in
      let page = CurlCommand.query(exchange.request.path)["page"].flatMap { Int($0) } ?? 1
      let next = page < 3 ? "<http://h/admin/users?page=\(page + 1)&per_page=2>; rel=\"next\", " : ""
      let user = page == 2 ? "" : Sample.user(email: "\(page)@example.com")
      return .init(
        fields: [
          HTTPField.Name(unchecked: "X-Total-Count"): "5",
          HTTPField.Name(unchecked: "Link"): "\(next)<http://h/admin/users?page=3&per_page=2>; rel=\"last\"",
        ], body: #"{"users":[\#(user)],"aud":"authenticated"}"#)
    }
    var addresses: [String] = []
    for try await user in world.client.admin.users(perPage: 2) { addresses.append(user.email ?? "") }
    #expect(addresses == ["1@example.com", "3@example.com"])
    #expect(world.server.lines.first == "GET /admin/users?page=1&per_page=2")
    let page = try await world.client.admin.listUsers(params: PageParams(page: 1))
    #expect(page.nextPage == 2 && page.lastPage == 3 && page.total == 5 && page.aud == "authenticated")
    #expect(
      PageLinks([HTTPField.Name(unchecked: "Link"): "<>; rel=next, garbage, <?page=x>; rel=\"last\""]).next == nil)
  }
}

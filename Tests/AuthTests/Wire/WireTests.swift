import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Every member on the wire")
struct WireTests {
  private static func world(_ wireCase: WireCase, logger: ClientLogger = .disabled) throws -> World {
    let storage = InMemoryLocalStorage()
    storage.store(key: "supabase.auth.token-code-verifier", value: Data("secret-verifier".utf8))
    return try World(
      signedIn: Sample.stored(), storage: storage,
      answer: { exchange in
        if exchange.path.hasSuffix("/options") {
          return .init(body: #"{"challenge_id":"c","options":{"challenge":"x"},"expires_at":1700000300}"#)
        }
        if exchange.path.hasSuffix("/challenge") {
          let body = wireCase.line.hasSuffix("/challenge") ? wireCase.answer : #"{"id":"c","expires_at":1700000300}"#
          return .init(body: body)
        }
        return .init(body: wireCase.answer)
      }
    ) {
      $0.flowType = wireCase.flowType
      $0.retryEnabled = false
      $0.logger = logger
    }
  }

  @Test("The request is what the server expects, and its answer is understood", arguments: WireCase.all)
  func request(wireCase: WireCase) async throws {
    let world = try Self.world(wireCase)
    try await wireCase.run(world.client)
    #expect(world.server.exchanges.count == wireCase.before + 1)
    let exchange = try #require(world.server.exchanges.last)
    #expect(exchange.line == wireCase.line)
    #expect(exchange.authorization == wireCase.authorization)
    let expected = try wireCase.body.map { try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) }
    #expect(exchange.body == expected)
    let fields = exchange.request.headerFields
    #expect(fields[.apikey] == "key" && fields[.xSupabaseAPIVersion] == "2024-01-01")
    #expect(fields[.xClientInfo]?.hasPrefix("supabase-swift/") == true)
    #expect(fields[.contentType] == (expected == nil ? nil : "application/json"))
  }

  @Test("Neither passwords, tokens nor codes reach the log, whatever is called, nor an error's or a value's words")
  func secrecy() async throws {
    let records = LockIsolated<[LogRecord]>([])
    let logger = ClientLogger(label: "io.supabase.auth", level: .trace, handler: Capture(records: records))
    for wireCase in WireCase.all {
      let world = try Self.world(wireCase, logger: logger)
      try await wireCase.run(world.client)
      print(to: records, "\(String(describing: world.client.currentSession)) \(world.client.authStateChanges)")
      // And when everything fails: refused, broken, no JSON.
      let failures: [FakeTransport.Answer] = [
        { _ in .init(status: 400, body: #"{"code":"bad_json","message":"token=secret-echo"}"#) },
        { _ in .init(body: #"{"access_token":"secret-answer","user":{"id":"secret-answer"}}"#) },
        { _ in throw HTTPError(kind: .connectionLost, message: "gone") },
      ]
      for failure in failures {
        let failing = try Self.world(wireCase, logger: logger)
        failing.server.answer(failure)
        do { try await wireCase.run(failing.client) } catch {
          print(to: records, "\(error)")
        }
      }
    }
    let callback = try World(configure: { $0.logger = logger })
    callback.client.handle(URL(string: "app://back?code=secret-code#access_token=secret-access") ?? URL(filePath: "/"))
    #expect(await eventually { callback.client.tasks.count == 0 })
    #expect(records.value.count > 500)
    for record in records.value {
      let text = "\(record.message) \(record.metadata)"
      for secret in ["secret-", "access-1", "access-7", "refresh-1", "refresh-7"] {
        #expect(!text.contains(secret), "\(text)")
      }
    }
  }

  private func print(to records: LockIsolated<[LogRecord]>, _ text: String) {
    records.withLock { $0.append(LogRecord(level: .info, label: "", message: text)) }
  }

  private struct Capture: ClientLogHandler {
    let records: LockIsolated<[LogRecord]>

    func log(_ record: LogRecord) { records.withLock { $0.append(record) } }
  }

  @Test("In the flow by codes, what leads to a mail or a browser carries a challenge")
  func challenges() async throws {
    let world = try World(answer: { _ in .init(body: Sample.user(more: #","url":"https://idp.test/""#)) })
    let client = world.client
    try await client.signUp(email: "a@example.com", password: "p")
    try await client.signInWithOTP(email: "a@example.com")
    try await client.resetPasswordForEmail("a@example.com")
    _ = try await client.signInWithSSO(domain: "example.com")
    for exchange in world.server.exchanges {
      #expect(exchange.body?["code_challenge"]?.stringValue?.utf8.count == 43, "\(exchange.line)")
      #expect(exchange.body?["code_challenge_method"] == "s256")
    }
    #expect(try client.verifiers.candidates().count == 4)
    #expect(try client.verifiers.candidates().map(\.isRecovery) == [false, true, false, false])
  }

  @Test("Configured fields go along, the SDK's own give way to them, and a call's token wins")
  func fields() async throws {
    let world = try World(
      signedIn: Sample.stored(), answer: { _ in .init(body: Sample.user()) },
      configure: {
        $0.headers = [.apikey: "key", .authorization: "Bearer key", .xClientInfo: "mine/1"]
        $0.redirectToURL = URL(string: "app://default")
      })
    try await world.client.resend(email: "a@example.com", type: .signup)
    _ = try await world.client.user()
    let exchanges = world.server.exchanges
    #expect(exchanges[0].authorization == "Bearer key" && exchanges[1].authorization == "Bearer access-1")
    #expect(exchanges[0].request.headerFields[values: .xClientInfo] == ["mine/1"])
    #expect(exchanges[0].line == "POST /resend?redirect_to=app:%2F%2Fdefault")
  }

  @Test("An address of the server without a host is refused before anything is sent")
  func badAddress() async throws {
    let world = try World(configure: { $0.url = URL(filePath: "/auth/v1") })
    #expect(await kind { try await world.client.user(jwt: "t") } == .invalidRequest)
    #expect(await kind { try await world.client.user(jwt: "a\r\nb") } == .invalidRequest)
    #expect(world.server.exchanges.isEmpty)
  }
}

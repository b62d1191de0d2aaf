import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Sign-ins that come back from a browser or a mail")
struct FlowTests {
  /// Accepts codes by the challenges of the flows that were begun, as servers do: the newest flow's code is 1, and so
  /// on.
  private final class Provider: Sendable {
    private let challenges = LockIsolated<[String]>([])
    /// Whether it is a server of 2023.
    private let isOld: Bool

    init(isOld: Bool = false) { self.isOld = isOld }

    func begin(_ url: URL) {
      let challenge = CurlCommand.query(url.absoluteString)["code_challenge"] ?? ""
      challenges.withLock { $0.append(challenge) }
    }

    func exchange(_ exchange: FakeTransport.Exchange) -> FakeTransport.Reply {
      guard let code = exchange.body?["auth_code"]?.stringValue.flatMap({ Int($0) }),
        let verifier = exchange.body?["code_verifier"]?.stringValue
      else { return .refusal(400, "validation_failed") }
      guard challenges.value.indices.contains(code) else { return .refusal(404, "flow_state_not_found") }
      guard PKCE.challenge(of: verifier) == challenges.value[code] else {
        return isOld
          ? .init(
            status: 403,
            body: #"{"code":403,"msg":"code challenge does not match previously saved code verifier"}"#)
          : .refusal(400, "bad_code_verifier")
      }
      return .init(body: Sample.session(code))
    }
  }

  private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test("The challenge is the verifier's hash, as RFC 7636 has it in its appendix B")
  func challenge() {
    #expect(
      PKCE.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )
    let verifiers = Set((0..<100).map { _ in PKCE.verifier() })
    #expect(verifiers.count == 100 && verifiers.allSatisfy { $0.utf8.count == 43 })
  }

  @Test("The address of a provider has what it needs, and the caller's own parameters")
  func address() throws {
    let world = try World()
    let url = try world.client.getOAuthSignInURL(
      provider: .github, scopes: "repo user:email", redirectTo: Self.url("app://back?x=1&y=2"),
      queryParams: [("prompt", "consent"), ("hint", nil), ("a&b", "c=d+e")])
    #expect(url.absoluteString.hasPrefix("http://server.test/auth/v1/authorize?provider=github&"))
    let query = CurlCommand.query(url.absoluteString)
    #expect(query["scopes"] == "repo user:email" && query["redirect_to"] == "app://back?x=1&y=2")
    #expect(query["prompt"] == "consent" && query["hint"] == "" && query["a&b"] == "c=d+e")
    #expect(query["code_challenge"]?.utf8.count == 43 && query["code_challenge_method"] == "s256")
    let implicit = try World(configure: { $0.flowType = .implicit })
    #expect(
      try implicit.client.getOAuthSignInURL(provider: "custom").absoluteString
        == "http://server.test/auth/v1/authorize?provider=custom")
    #expect(world.server.exchanges.isEmpty)
  }

  @Test("A sign-in at a provider exchanges the code that comes back")
  func signInWithOAuth() async throws {
    let provider = Provider()
    let world = try World { provider.exchange($0) }
    let session = try await world.client.signInWithOAuth(provider: .google, redirectTo: Self.url("app://back")) { url in
      provider.begin(url)
      return try Self.url("app://back?code=0")
    }
    #expect(session.accessToken == "access-0" && world.client.currentSession == session)
    #expect(try world.storage.retrieve(key: "supabase.auth.token-code-verifier") == nil)
  }

  @Test("Two flows at once both come back, in whatever order, and each code is tried with its own secret at last")
  func two() async throws {
    for (order, isOld) in [([0, 1], false), ([1, 0], false), ([0, 1], true)] {
      let provider = Provider(isOld: isOld)
      let world = try World { provider.exchange($0) }
      for _ in 0..<2 { provider.begin(try world.client.getOAuthSignInURL(provider: .apple)) }
      for code in order {
        let session = try await world.client.session(from: Self.url("app://back?code=\(code)"))
        #expect(session.accessToken == "access-\(code)")
      }
    }
  }

  @Test("A flow comes back after a restart of the program, and one that supabase-swift has begun as well")
  func restart() async throws {
    let provider = Provider()
    let world = try World { provider.exchange($0) }
    provider.begin(try world.client.getOAuthSignInURL(provider: .apple))
    let restarted = try World(storage: world.storage) { provider.exchange($0) }
    #expect(try await restarted.client.exchangeCodeForSession(authCode: "0").accessToken == "access-0")

    let storage = InMemoryLocalStorage()
    storage.store(key: "supabase.auth.token-code-verifier", value: Data("their-verifier".utf8))
    let theirs = try World(storage: storage) { exchange in
      exchange.body?["code_verifier"] == "their-verifier" ? .init(body: Sample.session(4)) : .init(status: 400)
    }
    #expect(try await theirs.client.exchangeCodeForSession(authCode: "x").accessToken == "access-4")
    #expect(storage.retrieve(key: "supabase.auth.token-code-verifier") == nil)
  }

  @Test("Five flows are kept, the oldest go")
  func five() async throws {
    let provider = Provider()
    let world = try World { provider.exchange($0) }
    for _ in 0..<7 { provider.begin(try world.client.getOAuthSignInURL(provider: .apple)) }
    let value = try #require(try world.storage.retrieve(key: "supabase.auth.token-code-verifier"))
    #expect(try JSONDecoder().decode([String].self, from: value).count == 5)
    let error = await failure { try await world.client.exchangeCodeForSession(authCode: "1") }
    #expect(error?.kind == .oauthFlowFailed && error?.errorCode == .badCodeVerifier)
    #expect(try await world.client.exchangeCodeForSession(authCode: "2").accessToken == "access-2")
  }

  @Test("Flows that are begun at once on many threads are all kept")
  func concurrent() async throws {
    let world = try World()
    let client = world.client
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { _ = try? client.getOAuthSignInURL(provider: .apple) } }
    }
    #expect(try client.verifiers.candidates().count == 5)
    let value = try #require(try world.storage.retrieve(key: "supabase.auth.token-code-verifier"))
    #expect(try JSONDecoder().decode([String].self, from: value).count == 5)
  }

  @Test("A code of no flow, or of one that is over, is refused with words that say so")
  func unknown() async throws {
    let world = try World { _ in .refusal(404, "flow_state_not_found", "invalid flow state") }
    let error = await failure { try await world.client.exchangeCodeForSession(authCode: "stolen") }
    #expect(error?.kind == .oauthFlowFailed && error?.errorCode == .flowStateNotFound)
    #expect(world.server.exchanges.isEmpty, "there is no secret to send")
    _ = try world.client.getOAuthSignInURL(provider: .apple)
    let refused = await failure { try await world.client.exchangeCodeForSession(authCode: "old") }
    #expect(refused?.kind == .server && refused?.errorCode == .flowStateNotFound)
    #expect(world.client.currentSession == nil)
  }

  struct Callback: Sendable, CustomTestStringConvertible {
    let url: String
    let code: ErrorCode
    let message: String
    var testDescription: String { url }
  }

  @Test(
    "What a provider tells of its refusal is told, from the query as from the fragment, and nothing is sent",
    arguments: [
      Callback(
        url: "app://back?error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid",
        code: .otpExpired, message: "Email link is invalid"),
      Callback(
        url: "app://back#error=access_denied&error_code=403&error_description=No%20%C3%A9ntry", code: "403",
        message: "No éntry"),
      Callback(url: "app://back?error=server_error", code: "server_error", message: "server_error"),
      Callback(url: "app://back?error_description=Gone", code: .unknown, message: "Gone"),
      Callback(url: "app://back?code=0&error=access_denied", code: .accessDenied, message: "access_denied"),
      Callback(
        url: "app://back#error=x&error_description=see+https%3A%2F%2Fh%2F%3Ftoken%3Dsecret%0Anext", code: "x",
        message: "see https://h/?<redacted>\u{FFFD}next"),
    ])
  func callbackErrors(callback: Callback) async throws {
    for flowType in [AuthFlowType.pkce, .implicit] {
      let world = try World(configure: { $0.flowType = flowType })
      let error = await failure { try await world.client.session(from: Self.url(callback.url)) }
      #expect(error?.kind == .oauthFlowFailed && error?.errorCode == callback.code)
      #expect(error?.message == callback.message)
      #expect(world.server.exchanges.isEmpty)
    }
  }

  @Test("In the implicit flow the tokens of the address are those of a user whom the server knows by them")
  func implicit() async throws {
    let world = try World(answer: { _ in .init(body: Sample.user()) }) { $0.flowType = .implicit }
    let parts =
      "access_token=at&expires_in=3600&expires_at=1700003600&refresh_token=rt&token_type=bearer&provider_token=pt"
    let session = try await world.client.session(from: Self.url("app://back#\(parts)&type=recovery"))
    #expect(session.accessToken == "at" && session.providerToken == "pt" && session.expiresAt == 1_700_003_600)
    #expect(world.server.lines == ["GET /user"])
    #expect(world.server.exchanges.first?.authorization == "bearer at")
    world.server.answer { _ in .refusal(401, "bad_jwt") }
    #expect(
      await failure { try await world.client.session(from: Self.url("app://back#\(parts)")) }?.errorCode == .badJWT)
    for bad in [
      "", "access_token=at", "access_token=at&refresh_token=rt&expires_in=soon", "code=1", "%ZZ=1&access_token=%F",
    ] {
      #expect(await kind { try await world.client.session(from: Self.url("app://back#\(bad)")) } == .oauthFlowFailed)
    }
    #expect(world.client.currentSession == session)
  }

  @Test("Tokens in an address do not sign anybody in where codes are expected, so nobody can be signed in as another")
  func fixation() async throws {
    let world = try World { _ in .init(body: Sample.user(Sample.berta)) }
    let url = try Self.url("app://back#access_token=at&expires_in=3600&refresh_token=rt&token_type=bearer")
    #expect(await kind { try await world.client.session(from: url) } == .oauthFlowFailed)
    #expect(world.server.exchanges.isEmpty && world.client.currentSession == nil)
  }

  @Test("Addresses that are too long, or whose tokens would break a header, are refused")
  func hostile() async throws {
    let world = try World(configure: { $0.flowType = .implicit })
    let long = try Self.url("app://back#access_token=\(String(repeating: "a", count: 70_000))")
    #expect(await kind { try await world.client.session(from: long) } == .oauthFlowFailed)
    let split = try Self.url("app://back#access_token=a%0D%0AEvil:%20b&expires_in=60&refresh_token=r")
    #expect(await kind { try await world.client.session(from: split) } == .invalidRequest)
    #expect(world.server.exchanges.isEmpty)
  }

  @Test("An app hands over the address that it was opened by, and the outcome is an event")
  func handle() async throws {
    let provider = Provider()
    let world = try World { provider.exchange($0) }
    provider.begin(try world.client.getOAuthSignInURL(provider: .apple))
    var changes = world.client.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    world.client.handle(try Self.url("app://back?error=access_denied"))
    world.client.handle(try Self.url("app://back?code=0"))
    let change = await changes.next()
    #expect(change?.event == .signedIn && change?.session?.accessToken == "access-0")
    #expect(await eventually { world.client.tasks.count == 0 })
  }

  @Test("A mail for a lost password leads to the event that asks for a new one")
  func recovery() async throws {
    let world = try World()
    try await world.client.resetPasswordForEmail("a@example.com", redirectTo: Self.url("app://new"))
    #expect(world.server.exchanges.first?.body?["code_challenge"] != nil)
    let restarted = try World(storage: world.storage) { _ in .init(body: Sample.session()) }
    var changes = restarted.client.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    try await restarted.client.session(from: Self.url("app://new?code=1"))
    #expect(await changes.next()?.event == .signedIn)
    #expect(await changes.next()?.event == .passwordRecovery)
  }

  @Test("A flow whose secret cannot be stored is not begun")
  func storageFull() async throws {
    let storage = FaultyStorage()
    storage.fail(writing: true)
    let world = try World(storage: storage)
    #expect(await kind { try world.client.getOAuthSignInURL(provider: .apple) } == .storage)
    #expect(await kind { try await world.client.signInWithOTP(email: "a@example.com") } == .storage)
    #expect(world.server.exchanges.isEmpty)
  }
}

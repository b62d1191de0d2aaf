import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Renewals that fail")
struct RefreshFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let reply: FakeTransport.Reply
    let kind: AuthError.Kind
    var testDescription: String { name }
  }

  static let passing: [Fault] = [
    Fault(
      name: "500 with a page", reply: .init(status: 500, body: "<html>Internal Server Error</html>"), kind: .server),
    Fault(name: "502 with a page", reply: .init(status: 502, body: "<html>Bad Gateway</html>"), kind: .server),
    Fault(name: "503 in JSON", reply: .refusal(503, "unexpected_failure"), kind: .server),
    Fault(name: "429", reply: .refusal(429, "over_request_rate_limit"), kind: .server),
    Fault(name: "408", reply: .refusal(408, "request_timeout"), kind: .server),
    Fault(name: "400 of a captive portal", reply: .init(status: 400, body: "<html>Log in</html>"), kind: .server),
    Fault(name: "403 of a firewall", reply: .init(status: 403, body: "blocked"), kind: .server),
    Fault(
      name: "401 of the gateway", reply: .init(status: 401, body: #"{"message":"Invalid API key"}"#), kind: .server),
    Fault(name: "400 that is no refusal", reply: .refusal(400, "captcha_failed"), kind: .server),
    Fault(name: "404 of a wrong path", reply: .init(status: 404, body: "404 page not found"), kind: .server),
    Fault(name: "200 with a page", reply: .init(body: "<html>Welcome to our wireless</html>"), kind: .decoding),
    Fault(name: "200 with nothing", reply: .init(body: ""), kind: .decoding),
    Fault(name: "200 with another object", reply: .init(body: #"{"access_token":7}"#), kind: .decoding),
  ]

  @Test("What may pass keeps the session, and the next call renews it", arguments: passing)
  func passes(fault: Fault) async throws {
    let world = try World(signedIn: Sample.stored(expiresIn: -10)) { _ in fault.reply }
    let error = await failure { try await world.client.session }
    #expect(error?.kind == fault.kind)
    #expect(error?.response?.statusCode == fault.reply.status)
    #expect(error?.response?.body == Array(fault.reply.body.utf8), "the page can be looked at")
    #expect(error?.message.contains("Unexpected error") == false)
    #expect(world.client.currentSession?.accessToken == "access-1")
    #expect(try world.stored?.accessToken == "access-1")
    #expect(world.server.exchanges.count == 1, "nothing is sent again after an answer")
    world.server.answer { _ in .init(body: Sample.session(2)) }
    #expect(try await world.client.session.accessToken == "access-2")
  }

  static let final: [Fault] = [
    Fault(name: "refresh_token_not_found", reply: .refusal(400, "refresh_token_not_found"), kind: .sessionMissing),
    Fault(
      name: "refresh_token_already_used", reply: .refusal(400, "refresh_token_already_used"), kind: .sessionMissing),
    Fault(name: "session_expired", reply: .refusal(401, "session_expired"), kind: .sessionMissing),
    Fault(name: "session_not_found", reply: .refusal(403, "session_not_found"), kind: .sessionMissing),
    Fault(name: "user_banned", reply: .refusal(403, "user_banned"), kind: .sessionMissing),
    Fault(
      name: "the form before 2024",
      reply: .init(status: 400, body: #"{"code":400,"error_code":"refresh_token_not_found","msg":"Invalid"}"#),
      kind: .sessionMissing),
    Fault(
      name: "OAuth's form",
      reply: .init(status: 400, body: #"{"error":"invalid_grant","error_description":"Invalid Refresh Token"}"#),
      kind: .sessionMissing),
    Fault(
      name: "a form without a code",
      reply: .init(status: 400, body: #"{"code":400,"msg":"Invalid Refresh Token: Refresh Token Not Found"}"#),
      kind: .sessionMissing),
    Fault(
      name: "the code in the header",
      reply: .init(
        status: 400,
        fields: HTTPFields([HTTPField(name: .init(unchecked: "x-sb-error-code"), value: "session_expired")])),
      kind: .sessionMissing),
  ]

  @Test("What the auth server refuses for good ends the session, with its words and a reason", arguments: final)
  func ends(fault: Fault) async throws {
    let world = try World(signedIn: Sample.stored(expiresIn: -10)) { _ in fault.reply }
    var changes = world.client.authStateChanges.makeAsyncIterator()
    #expect(await changes.next()?.session?.accessToken == "access-1")
    let error = await failure { try await world.client.session }
    #expect(error?.kind == .sessionMissing && error?.response?.statusCode == fault.reply.status)
    #expect(error?.errorCode != .unknown || fault.name == "a form without a code")
    #expect(world.client.currentSession == nil)
    #expect(try world.stored == nil)
    let change = await changes.next()
    #expect(change?.event == .signedOut && change?.session == nil)
    #expect(change?.event.signOutReason == .sessionExpired)
    #expect(change?.event.signOutReason?.error?.response?.statusCode == fault.reply.status)
    // And it stays so, without another request.
    #expect(await kind { try await world.client.session } == .sessionMissing)
    #expect(world.server.exchanges.count == 1)
  }

  @Test("Without a network a renewal is tried three times; then the error is told and the session kept")
  func offline() async throws {
    let world = try World(signedIn: Sample.stored(expiresIn: -10)) { _ in
      throw HTTPError(kind: .connectionFailed, message: "no network")
    }
    let client = world.client
    let task = Task { await failure { try await client.session } }
    for _ in 0..<2 {
      await world.clock.waitForSleeps(1)
      world.clock.advance(by: world.clock.timeToNextSleepEnd ?? .zero)
    }
    let error = await task.value
    #expect(error?.kind == .transport && error?.message == "no network")
    #expect(error?.underlyingError is HTTPError)
    #expect(world.server.exchanges.count == 3)
    #expect(client.currentSession?.accessToken == "access-1")
  }

  @Test("A connection that breaks after the request was sent is not tried again: the token may be spent")
  func lost() async throws {
    for fault in [HTTPError.Kind.connectionLost, .timeout] {
      let world = try World(signedIn: Sample.stored(expiresIn: -10)) { _ in throw HTTPError(kind: fault, message: "x") }
      #expect(await kind { try await world.client.session } == .transport)
      #expect(world.server.exchanges.count == 1)
      #expect(world.client.currentSession != nil)
    }
  }

  @Test("A session that has not expired yet serves while it cannot be renewed")
  func stillGood() async throws {
    let world = try World(signedIn: Sample.stored(expiresIn: 20)) { _ in .init(status: 503) }
    // By its margin it should be renewed: a quarter of its life before the end.
    world.clock.advance(by: .seconds(16))
    #expect(try await world.client.session.accessToken == "access-1")
    #expect(world.server.exchanges.count == 1)
  }

  @Test("The background goes on trying after failures, and succeeds")
  func background() async throws {
    let failures = LockIsolated(5)
    let world = try World(
      signedIn: Sample.stored(expiresIn: -10),
      answer: { _ in
        let left = failures.withLock { left in
          left -= 1
          return left
        }
        return left >= 0 ? .init(status: 500, body: "<html>") : .init(body: Sample.session(2))
      }, configure: { $0.autoRefreshToken = true })
    while world.client.currentSession?.accessToken != "access-2" {
      guard
        await eventually({ world.clock.pendingSleeps > 0 || world.client.currentSession?.accessToken == "access-2" })
      else { break }
      world.clock.advance(by: .seconds(30))
    }
    #expect(world.client.currentSession?.accessToken == "access-2")
    #expect(world.server.exchanges.count == 6)
  }

  @Test("Signing out during a renewal: what comes late revives nothing", arguments: 1...10)
  func signOut(round: Int) async throws {
    let isOpen = StateSource<Bool, Never>(false)
    let world = try World(signedIn: Sample.stored(expiresIn: -10)) { exchange in
      guard exchange.path == "/token" else { return .init(status: 204) }
      for await isOpen in isOpen.values where isOpen { break }
      return .init(body: Sample.session(2))
    }
    let client = world.client
    let caller = Task { await kind { try await client.session } }
    #expect(await eventually { world.server.exchanges.count == 1 })
    try await client.signOut()
    isOpen.send(true)
    #expect(await caller.value == .sessionMissing)
    #expect(client.currentSession == nil)
    #expect(try world.stored == nil)
    #expect(world.server.lines.contains("POST /logout?scope=global"))
  }

  @Test("A renewal that is late neither overwrites nor ends another user's session", arguments: [200, 400])
  func another(status: Int) async throws {
    let isOpen = StateSource<Bool, Never>(false)
    let world = try World(signedIn: Sample.stored(expiresIn: -10)) { exchange in
      if exchange.line.contains("password") { return .init(body: Sample.session(9, user: Sample.berta)) }
      for await isOpen in isOpen.values where isOpen { break }
      return status == 200 ? .init(body: Sample.session(2)) : .refusal(400, "refresh_token_not_found")
    }
    let client = world.client
    // Those who wait are given the new session: they asked for one that is good.
    let caller = Task { try await client.session.accessToken }
    #expect(await eventually { world.server.exchanges.count == 1 })
    try await client.signIn(email: "berta@example.com", password: "pass-word")
    isOpen.send(true)
    #expect(try await caller.value == "access-9")
    #expect(await eventually { client.tasks.count == 0 })
    #expect(client.currentSession?.accessToken == "access-9")
    #expect(try world.stored?.accessToken == "access-9")
  }

  @Test("What a renewal by another token brings is dropped when somebody has signed out or in meanwhile")
  func discarded() async throws {
    let isOpen = StateSource<Bool, Never>(false)
    let world = try World(signedIn: Sample.stored()) { exchange in
      guard exchange.path == "/token" else { return .init() }
      for await isOpen in isOpen.values where isOpen { break }
      return .init(body: Sample.session(5))
    }
    let client = world.client
    let refresh = Task { await kind { try await client.refreshSession(refreshToken: "elsewhere") } }
    #expect(await eventually { world.server.exchanges.count == 1 })
    try await client.signOut()
    isOpen.send(true)
    #expect(await refresh.value == .refreshDiscarded)
    #expect(client.currentSession == nil)
    #expect(try await client.refreshSession(refreshToken: "elsewhere").accessToken == "access-5")
    #expect(client.currentSession?.accessToken == "access-5")
  }

  @Test("A proven factor does not revive a session that was signed out of meanwhile")
  func lateUpgrade() async throws {
    let isOpen = StateSource<Bool, Never>(false)
    let world = try World(signedIn: Sample.stored()) { exchange in
      guard exchange.path.hasSuffix("/verify") else { return .init() }
      for await isOpen in isOpen.values where isOpen { break }
      return .init(body: Sample.session(5))
    }
    let client = world.client
    let proof = MFAVerifyParams(factorId: "f", challengeId: "c", code: "123456")
    let verification = Task { await kind { try await client.mfa.verify(params: proof) } }
    #expect(await eventually { world.server.exchanges.count == 1 })
    try await client.signOut()
    isOpen.send(true)
    #expect(await verification.value == .refreshDiscarded)
    #expect(client.currentSession == nil)
  }

  @Test("A user who has changed after somebody else has signed in is not put into that session")
  func lateUpdate() async throws {
    let isOpen = StateSource<Bool, Never>(false)
    let world = try World(signedIn: Sample.stored()) { exchange in
      if exchange.path == "/token" { return .init(body: Sample.session(9, user: Sample.berta)) }
      for await isOpen in isOpen.values where isOpen { break }
      return .init(body: Sample.user())
    }
    let client = world.client
    let update = Task { await kind { try await client.update(user: UserAttributes(password: "x")) } }
    #expect(await eventually { world.server.exchanges.count == 1 })
    let berta = try await client.signIn(email: "berta@example.com", password: "pass-word")
    isOpen.send(true)
    #expect(await update.value == .refreshDiscarded)
    #expect(client.currentUser == berta.user)
  }
}

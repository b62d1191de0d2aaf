import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Sessions")
struct SessionTests {
  @Test("Signing in keeps the session, in memory and in the storage, as supabase-swift writes it")
  func signIn() async throws {
    let world = try World { _ in .init(body: Sample.session()) }
    #expect(world.client.currentSession == nil)
    let session = try await world.client.signIn(email: "anna@example.com", password: "pass-word")
    #expect(session.accessToken == "access-1" && session.user.email == "anna@example.com")
    #expect(world.client.currentSession == session && world.client.currentUser == session.user)
    #expect(try await world.client.session == session)
    #expect(try world.stored == session)
    let value = try #require(try world.storage.retrieve(key: "supabase.auth.token"))
    let written = try JSONDecoder().decode(JSONValue.self, from: value)
    #expect(written["accessToken"] == "access-1" && written["user"]?["userMetadata"] == ["nick_name": "a"])
    #expect(written["user"]?["createdAt"]?.doubleValue == session.user.createdAt.timeIntervalSinceReferenceDate)
    #expect(world.server.lines == ["POST /token?grant_type=password"])
  }

  @Test("A password that is right but weak is said so")
  func weakPassword() async throws {
    let world = try World { _ in
      .init(body: Sample.session(more: #","weak_password":{"message":"Weak","reasons":["length"]}"#))
    }
    let session = try await world.client.signIn(phone: "+15550100", password: "abc")
    #expect(session.weakPassword?.reasons == ["length"])
  }

  @Test("Signing up leads to a session, or to a user who has to confirm the address")
  func signUp() async throws {
    let world = try World { _ in .init(body: Sample.user()) }
    let pending = try await world.client.signUp(email: "anna@example.com", password: "pass-word")
    #expect(pending.session == nil && pending.user.email == "anna@example.com")
    #expect(world.client.currentSession == nil)
    world.server.answer { _ in .init(body: Sample.session()) }
    let signedIn = try await world.client.signUp(email: "anna@example.com", password: "pass-word")
    #expect(signedIn.session == world.client.currentSession && signedIn.session != nil)
  }

  @Test("A session that expires within half a minute is renewed before it is given out")
  func margin() async throws {
    let world = try World(signedIn: Sample.stored(expiresIn: 3600)) { _ in .init(body: Sample.session(2)) }
    world.clock.advance(by: .seconds(3569))
    #expect(try await world.client.session.accessToken == "access-1")
    world.clock.advance(by: .seconds(1))
    #expect(try await world.client.session.accessToken == "access-2")
    #expect(world.server.lines == ["POST /token?grant_type=refresh_token"])
    #expect(world.server.exchanges.first?.body == ["refresh_token": "refresh-1"])
    #expect(try world.stored?.refreshToken == "refresh-2")
  }

  @Test("Of a thousand who need an expired session at once one renews it")
  func crowd() async throws {
    let world = try World(signedIn: Sample.stored(expiresIn: -10)) { _ in .init(body: Sample.session(2)) }
    let client = world.client
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<1000 { group.addTask { try await client.session.accessToken } }
      for try await token in group { #expect(token == "access-2") }
    }
    #expect(world.server.exchanges.count == 1)
  }

  @Test(
    "A clock that is hours off costs nothing after signing in, and one renewal after a start", arguments: [-7200, 7200])
  func skew(seconds: Int) async throws {
    let world = try World(skew: Double(seconds)) { _ in .init(body: Sample.session()) }
    try await world.client.signIn(email: "a@example.com", password: "pass-word")
    world.clock.advance(by: .seconds(3569))
    for _ in 0..<10 { _ = try await world.client.session }
    #expect(world.server.exchanges.count == 1)
    let restarted = try World(signedIn: Sample.stored(), skew: Double(seconds)) { _ in .init(body: Sample.session(2)) }
    for _ in 0..<10 { _ = try await restarted.client.session }
    #expect(restarted.server.exchanges.count <= 1)
  }

  @Test(
    "A session of numbers that are none does not trap", arguments: ["1e300", "-1e300", "0", "123456789012345678901234"])
  func nonsense(number: String) async throws {
    let body = Sample.session().replacing(#""expires_in":3600"#, with: #""expires_in":\#(number)"#)
      .replacing(#""expires_at":1700003600"#, with: #""expires_at":\#(number)"#)
    let world = try World { _ in .init(body: body) }
    try await world.client.signIn(email: "a@example.com", password: "pass-word")
    #expect(world.client.currentSession != nil)
    #expect(try await world.client.refreshSession().accessToken == "access-1")
  }

  @Test("Signing out ends the session here at once and tells the server; that it does not know it is no error")
  func signOut() async throws {
    for status in [204, 401, 403, 404] {
      let world = try World(signedIn: Sample.stored()) { _ in .init(status: status) }
      try await world.client.signOut()
      #expect(world.client.currentSession == nil)
      #expect(try world.stored == nil)
      #expect(world.server.lines == ["POST /logout?scope=global"])
      #expect(world.server.exchanges.first?.authorization == "Bearer access-1")
      #expect(await kind { try await world.client.session } == .sessionMissing)
    }
    let failing = try World(signedIn: Sample.stored()) { _ in throw HTTPError(kind: .connectionLost, message: "gone") }
    #expect(await kind { try await failing.client.signOut(scope: .local) } == .transport)
    #expect(failing.client.currentSession == nil, "the user has signed out all the same")
    let nobody = try World()
    for scope in [SignOutScope.global, .local, .others] { try await nobody.client.signOut(scope: scope) }
    #expect(nobody.server.exchanges.isEmpty)
  }

  @Test("Signing out elsewhere leaves this session alone")
  func signOutOthers() async throws {
    let world = try World(signedIn: Sample.stored())
    try await world.client.signOut(scope: .others)
    #expect(world.server.lines == ["POST /logout?scope=others"])
    #expect(world.client.currentSession?.accessToken == "access-1")
  }

  @Test("Without a session, calls that need one say so and send nothing")
  func missing() async throws {
    let world = try World()
    let client = world.client
    let calls: [() async throws -> Void] = [
      { _ = try await client.user() }, { try await client.reauthenticate() }, { try await client.refreshSession() },
      { _ = try await client.mfa.enroll(params: .totp()) }, { _ = try await client.listPasskeys() },
      { _ = try await client.getClaims() }, { try await client.update(user: UserAttributes(password: "new")) },
      { _ = try await client.oauthServer.listGrants() }, { _ = try await client.mfa.recoveryCodes.status() },
    ]
    for call in calls { #expect(await kind { try await call() } == .sessionMissing) }
    #expect(world.server.exchanges.isEmpty)
    #expect(try await client.mfa.getAuthenticatorAssuranceLevel().currentLevel == nil)
  }

  @Test("A session is taken over from its tokens: asked about if it is good, renewed if it has expired")
  func setSession() async throws {
    let world = try World { exchange in
      .init(body: exchange.path == "/user" ? Sample.user(Sample.berta) : Sample.session(7))
    }
    let token = Sample.token(expiresIn: 1000)
    let session = try await world.client.setSession(accessToken: token, refreshToken: "r")
    #expect(session.user.id.uuidString.lowercased() == Sample.berta && session.accessToken == token)
    #expect((990...1000).contains(session.expiresIn))
    #expect(world.server.exchanges.first?.authorization == "Bearer \(token)")
    #expect(
      try await world.client.setSession(accessToken: Sample.token(expiresIn: -1), refreshToken: "r").accessToken
        == "access-7")
    #expect(world.server.lines == ["GET /user", "POST /token?grant_type=refresh_token"])
    for bad in ["", "a.b", "a.b.c", "\r\n", String(token.dropLast(60)) + "..", "ey.\(token)"] {
      #expect(
        await kind { try await world.client.setSession(accessToken: bad, refreshToken: "r") } == .jwtVerificationFailed)
    }
    #expect(world.client.currentSession?.accessToken == "access-7")
  }

  @Test("What the server tells of the user is in the session from then on")
  func update() async throws {
    let world = try World(signedIn: Sample.stored()) { _ in .init(body: Sample.user(email: "new@example.com")) }
    let user = try await world.client.update(
      user: UserAttributes(email: "new@example.com", data: ["nick_name": "b"]),
      redirectTo: URL(string: "app://mail?a=1&b=2"))
    #expect(user.email == "new@example.com" && world.client.currentUser == user)
    #expect(try world.stored?.user == user)
    let exchange = try #require(world.server.exchanges.first)
    #expect(exchange.line == "PUT /user?redirect_to=app:%2F%2Fmail%3Fa%3D1%26b%3D2")
    #expect(exchange.body?["email"] == "new@example.com" && exchange.body?["data"] == ["nick_name": "b"])
    #expect(exchange.body?["code_challenge"] != nil && exchange.body?["code_challenge_method"] == "s256")
    try await world.client.update(user: UserAttributes(password: "other"))
    #expect(world.server.exchanges.last?.body == ["password": "other"])
  }

  @Test("A server's word that the session is gone is looked into once, and ends it if that is so")
  func gone() async throws {
    let world = try World(signedIn: Sample.stored()) { exchange in
      exchange.path == "/user" ? .refusal(403, "session_not_found") : .refusal(400, "refresh_token_not_found")
    }
    let error = await failure { try await world.client.user() }
    #expect(error?.kind == .sessionMissing && error?.errorCode == .sessionNotFound)
    #expect(world.client.currentSession == nil)
    #expect(try world.stored == nil)
    #expect(world.server.lines == ["GET /user", "POST /token?grant_type=refresh_token"])

    let other = try World(signedIn: Sample.stored()) { exchange in
      exchange.path == "/user" ? .refusal(403, "session_not_found") : .init(body: Sample.session(2))
    }
    #expect(await failure { try await other.client.user() }?.kind == .server)
    #expect(other.client.currentSession?.accessToken == "access-2")
  }

  @Test("Without a network a call that is cancelled ends at once, and the session stays")
  func cancellation() async throws {
    let world = try World(signedIn: Sample.stored(expiresIn: -10)) { _ in
      try await waitForCancellation()
      return .init()
    }
    let client = world.client
    let task = Task { try await client.session }
    #expect(await eventually { world.server.exchanges.count == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let user = Task { try await client.user(jwt: "token") }
    #expect(await eventually { world.server.exchanges.count == 2 })
    user.cancel()
    await #expect(throws: CancellationError.self) { try await user.value }
    #expect(client.currentSession?.accessToken == "access-1")
  }
}

import FoundationEssentials
import Supabase
import SwiftwaterBackend
import SwiftwaterCurl
import SwiftwaterStreams
import SwiftwaterTokens
import TestSupport
import Testing

/// Client and services were written apart from each other; here they meet.
@Suite("A project's client with the local backend")
struct LiveProjectTests {
  private static let sql = """
    create table notes (
      id bigint generated always as identity primary key, owner uuid not null default auth.uid(), text text not null);
    alter table notes enable row level security;
    create policy own on notes to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
    grant select, insert, update, delete on notes to authenticated;
    grant select on notes to anon;
    """

  private struct Note: Codable, Equatable {
    var text: String
  }

  private func with(
    _ change: (inout LocalBackend.Configuration) -> Void = { _ in }, _ body: (LocalBackend) async throws -> Void
  ) async throws {
    var configuration = LocalBackend.Configuration()
    configuration.auth.passwordCost = 4
    change(&configuration)
    try await LocalBackend.with(configuration) { backend async throws in
      try await backend.execute(Self.sql)
      try await body(backend)
    }
  }

  private func client(
    _ backend: LocalBackend, secret: Bool = false, storage: any AuthLocalStorage = InMemoryLocalStorage(),
    _ change: (inout SupabaseClient.Configuration) -> Void = { _ in }
  ) throws -> SupabaseClient {
    var configuration = SupabaseClient.Configuration()
    configuration.auth.localStorage = storage
    configuration.auth.autoRefreshToken = false
    change(&configuration)
    return try SupabaseClient(
      supabaseURL: backend.url, supabaseKey: secret ? backend.serviceRoleKey : backend.anonKey,
      configuration: configuration)
  }

  /// Signs up and confirms by the mail.
  @discardableResult
  private func signUp(
    _ email: String, with client: SupabaseClient, _ backend: LocalBackend
  ) async throws -> Session {
    let response = try await client.auth.signUp(email: email, password: "correct horse")
    #expect(response.session == nil)
    let mail = try #require(backend.inbox.first)
    #expect(mail.recipient == email && mail.kind == .signUp)
    return try #require(
      try await client.auth.verifyOTP(email: email, token: mail.token, type: .signup).session)
  }

  private func texts(_ client: SupabaseClient) async throws -> [String] {
    let notes: [Note] = try await client.from("notes").select("text").order("id").execute().value
    return notes.map(\.text)
  }

  @Test("Users confirm their address, sign in, and see their own rows and nobody else's, until they sign out")
  func rows() async throws {
    try await with { backend async throws in
      let (ada, bob) = (try client(backend), try client(backend))
      let unconfirmed = try await ada.auth.signUp(email: "ada@example.com", password: "correct horse")
      #expect(unconfirmed.user.emailConfirmedAt == nil)
      let refusal = await #expect(throws: AuthError.self) {
        try await ada.auth.signIn(email: "ada@example.com", password: "correct horse")
      }
      #expect(refusal?.errorCode == .emailNotConfirmed && refusal?.status == 400)
      let token = try #require(backend.inbox.first?.token)
      try await ada.auth.verifyOTP(email: "ada@example.com", token: token, type: .signup)
      try await signUp("bob@example.com", with: bob, backend)
      try await ada.from("notes").insert(Note(text: "ada's")).execute()
      try await bob.from("notes").insert([Note(text: "bob's"), Note(text: "more")]).execute()
      #expect(try await texts(ada) == ["ada's"])
      #expect(try await texts(bob) == ["bob's", "more"])
      #expect(try await texts(client(backend)) == [])
      #expect(try await texts(client(backend, secret: true)) == ["ada's", "bob's", "more"])
      // A server acts for each by the token of their requests.
      let server = try client(backend, secret: true)
      #expect(try await texts(server.withAccessToken(ada.auth.session.accessToken)) == ["ada's"])
      #expect(try await texts(server.withAccessToken(bob.auth.session.accessToken)) == ["bob's", "more"])
      try await ada.auth.signOut()
      #expect(try await texts(ada) == [])
      let wrong = await #expect(throws: AuthError.self) {
        try await ada.auth.signIn(email: "ada@example.com", password: "wrong horse")
      }
      #expect(wrong?.errorCode == .invalidCredentials)
      try await ada.auth.signIn(email: "ada@example.com", password: "correct horse")
      #expect(try await texts(ada) == ["ada's"])
    }
  }

  @Test("A session is renewed, also when the program was killed before it could store the renewal")
  func killed() async throws {
    try await with { backend async throws in
      let storage = WatchedStorage()
      let first = try client(backend, storage: storage)
      let session = try await signUp("ada@example.com", with: first, backend)
      let stored = storage.values.value
      let renewed = try await first.auth.refreshSession()
      #expect(renewed.refreshToken != session.refreshToken)
      // The server has rotated the token, the storage has not heard of it.
      storage.values.withLock { $0 = stored }
      let second = try client(backend, storage: storage)
      let saved = try await second.auth.refreshSession()
      #expect(saved.user.id == session.user.id)
      try await second.from("notes").insert(Note(text: "still here")).execute()
      #expect(try await texts(second) == ["still here"])
    }
  }

  @Test("A session that the server has ended is gone with the reason, and says so to all who listen")
  func ended() async throws {
    try await with { backend async throws in
      let client = try client(backend)
      let session = try await signUp("ada@example.com", with: client, backend)
      var changes = client.auth.authStateChanges.makeAsyncIterator()
      #expect(await changes.next()?.event == .initialSession)
      try await self.client(backend, secret: true).auth.admin.deleteUser(id: session.user.id)
      let error = await #expect(throws: AuthError.self) { try await client.auth.refreshSession() }
      #expect(error?.kind == .sessionMissing || error?.kind == .server)
      let change = await changes.next()
      #expect(change?.event == .signedOut && change?.session == nil && change?.event.signOutReason != nil)
      #expect(client.auth.currentSession == nil)
    }
  }

  @Test("A second factor lifts the session, which its rows may ask for")
  func factors() async throws {
    try await with { backend async throws in
      try await backend.execute("create policy strong on notes as restrictive using (auth.jwt()->>'aal' = 'aal2')")
      let client = try client(backend)
      try await signUp("ada@example.com", with: client, backend)
      await #expect(throws: PostgrestError.self) { try await client.from("notes").insert(Note(text: "x")).execute() }
      let factor = try await client.auth.mfa.enroll(params: MFATotpEnrollParams(issuer: "App", friendlyName: "phone"))
      let secret = try #require(factor.totp?.secret)
      var levels = try await client.auth.mfa.getAuthenticatorAssuranceLevel()
      #expect(levels.currentLevel == "aal1")
      _ = try await client.auth.mfa.challengeAndVerify(
        params: .init(factorId: factor.id, code: Authenticator.code(secret)))
      levels = try await client.auth.mfa.getAuthenticatorAssuranceLevel()
      #expect(levels.currentLevel == "aal2" && levels.nextLevel == "aal2")
      #expect(try await client.auth.mfa.listFactors().totp.map(\.id) == [factor.id])
      try await client.from("notes").insert(Note(text: "secret")).execute()
      #expect(try await texts(client) == ["secret"])
      try await client.auth.mfa.unenroll(params: .init(factorId: factor.id))
      #expect(try await client.auth.mfa.listFactors().all.isEmpty)
    }
  }

  @Test("Links in mails lead back to the app: a magic link, a lost password, a change of the address")
  func links() async throws {
    try await with { backend async throws in
      let app = try #require(URL(string: "http://127.0.0.1:3000/back"))
      let client = try client(backend) { $0.auth.redirectToURL = app }
      try await client.auth.signInWithOTP(email: "ada@example.com")
      let session = try await client.auth.session(from: try await follow(backend.inbox.first))
      #expect(session.user.email == "ada@example.com")
      try await client.auth.signOut()
      var changes = client.auth.authStateChanges.makeAsyncIterator()
      _ = await changes.next()
      try await client.auth.resetPasswordForEmail("ada@example.com")
      try await client.auth.session(from: try await follow(backend.inbox.first))
      #expect(await changes.next()?.event == .signedIn)
      #expect(await changes.next()?.event == .passwordRecovery)
      try await client.auth.update(user: UserAttributes(password: "a new password"))
      try await client.auth.signOut()
      try await client.auth.signIn(email: "ada@example.com", password: "a new password")
      try await client.auth.update(user: UserAttributes(email: "lovelace@example.com"))
      let mails = backend.inbox.prefix(2)
      #expect(Set(mails.map(\.recipient)) == ["ada@example.com", "lovelace@example.com"])
      for mail in mails { _ = try await follow(mail) }
      try await client.auth.refreshSession()
      #expect(try await client.auth.user().email == "lovelace@example.com")
    }
  }

  /// Where a mail's link leads a browser.
  private func follow(_ mail: AuthMessage?) async throws -> URL {
    let link = try #require(mail?.link.flatMap { URL(string: $0) })
    var configuration = CurlTransport.Configuration()
    configuration.redirects = .none
    let (response, _) = try await CurlTransport(configuration: configuration).send(
      HTTPRequest(method: .get, url: link), body: nil)
    return try #require(response.headerFields[.location].flatMap { URL(string: $0) }, "\(response.status)")
  }

  @Test("A claim is verified here, with the server's public keys, whichever algorithm signs", arguments: [false, true])
  func claims(isAsymmetric: Bool) async throws {
    let key = try ES256PrivateKey()
    try await with({ if isAsymmetric { $0.jwtSigningKey = key.jwk } }) { backend async throws in
      let client = try client(backend)
      let session = try await signUp("ada@example.com", with: client, backend)
      let claims = try await client.auth.getClaims()
      #expect(claims.claims.sub == session.user.id.uuidString.lowercased())
      #expect(claims.header.alg == (isAsymmetric ? "ES256" : "HS256"))
      let forged = try ES256PrivateKey(jwk: ES256PrivateKey().jwk).sign(claims: #"{"sub":"x","exp":99999999999}"#)
      await #expect(throws: AuthError.self) { try await client.auth.getClaims(jwt: forged) }
    }
  }

  @Test("Somebody without a name becomes somebody with one, and keeps the rows")
  func anonymous() async throws {
    try await with { backend async throws in
      let client = try client(backend)
      let session = try await client.auth.signInAnonymously(data: ["theme": "dark"])
      #expect(session.user.isAnonymous)
      try await client.from("notes").insert(Note(text: "mine")).execute()
      try await client.auth.update(user: UserAttributes(email: "ada@example.com"))
      let mail = try #require(backend.inbox.first)
      try await client.auth.verifyOTP(email: "ada@example.com", token: mail.token, type: .emailChange)
      let user = try await client.auth.user()
      #expect(user.id == session.user.id && user.email == "ada@example.com" && !user.isAnonymous)
      #expect(try await texts(client) == ["mine"])
    }
  }

  @Test("An administrator makes, finds, changes, invites and deletes users")
  func admin() async throws {
    try await with { backend async throws in
      let admin = try client(backend, secret: true).auth.admin
      for number in 0..<5 {
        try await admin.createUser(
          attributes: AdminUserAttributes(email: "u\(number)@example.com", emailConfirm: true, password: "password"))
      }
      let page = try await admin.listUsers(params: PageParams(page: 1, perPage: 2))
      #expect(page.users.count == 2 && page.total == 5)
      var all: [String] = []
      for try await user in admin.users(perPage: 2) { all.append(user.email ?? "") }
      #expect(all.sorted() == (0..<5).map { "u\($0)@example.com" })
      let user = try #require(page.users.first)
      try await admin.updateUserById(user.id, attributes: AdminUserAttributes(userMetadata: ["a": 1]))
      #expect(try await admin.getUserById(user.id).userMetadata["a"] == 1)
      try await admin.inviteUserByEmail("guest@example.com")
      #expect(backend.inbox.first?.kind == .invite)
      try await admin.deleteUser(id: user.id)
      let error = await #expect(throws: AuthError.self) { try await admin.getUserById(user.id) }
      #expect(error?.errorCode == .userNotFound)
      let anonymous = await #expect(throws: AuthError.self) { try await client(backend).auth.admin.listUsers() }
      #expect(anonymous?.status == 403 || anonymous?.status == 401)
    }
  }
}

import FoundationEssentials
import PostgresTestSupport
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTP
import SwiftwaterTokens
import Testing

@Suite("Refreshing sessions, and ending them")
struct RefreshTests {
  @Test("A refresh gives a new token of the same session, and the old one leads to it for a while")
  func rotation() async throws {
    try await AuthBackend.with {
      // Others may keep the machine busy for longer than ten seconds.
      $0.auth.refreshTokenReuseInterval = .seconds(600)
    } _: { backend async throws in
      let first = try await backend.newSession("ada@example.com")
      let second = try backend.session(try await backend.refresh(first.refresh))
      #expect(second.refresh != first.refresh)
      #expect(second.claims["session_id"] == first.claims["session_id"])
      #expect(second.claims["amr"] == first.claims["amr"])
      // The app was killed before it could save the second one.
      let saved = try backend.session(try await backend.refresh(first.refresh))
      #expect(saved.refresh == second.refresh)
      let third = try backend.session(try await backend.refresh(second.refresh))
      #expect(try backend.session(try await backend.refresh(first.refresh)).refresh == third.refresh)
      #expect(
        try await backend.rows("select parent from auth.refresh_tokens where not revoked") == [second.refresh])
    }
  }

  @Test("A token that was replaced long ago ends its family, and no other")
  func reuse() async throws {
    try await AuthBackend.with { backend async throws in
      let first = try await backend.newSession("ada@example.com")
      let other = try await backend.signIn("ada@example.com")
      let lost = try backend.session(try await backend.refresh(first.refresh))
      func age() async throws {
        try await backend.backend.execute(
          "update auth.refresh_tokens set updated_at = now() - interval '11 seconds' where revoked")
      }
      // Nobody has come with its successor, which may have been lost on the way.
      try await age()
      #expect(try backend.session(try await backend.refresh(first.refresh)).refresh == lost.refresh)
      let second = try backend.session(try await backend.refresh(lost.refresh))
      try await age()
      let stolen = try await backend.refresh(first.refresh)
      #expect(stolen.status == 400)
      #expect(stolen.code == "refresh_token_already_used")
      #expect(stolen["msg"] == "Invalid Refresh Token: Already Used")
      #expect(try await backend.refresh(second.refresh).code == "refresh_token_already_used")
      _ = try backend.session(try await backend.refresh(other.refresh))
      #expect(
        try await backend.rows("select payload ->> 'action' from auth.audit_log_entries").contains("token_revoked"))
    }
  }

  @Test("A family ends also while it is refreshed", arguments: 0..<10)
  func reuseBesideRefresh(round: Int) async throws {
    try await AuthBackend.with { backend async throws in
      let first = try await backend.newSession("ada@example.com")
      let second = try backend.session(try await backend.refresh(first.refresh))
      var newest = try backend.session(try await backend.refresh(second.refresh)).refresh
      try await backend.backend.execute(
        "update auth.refresh_tokens set updated_at = now() - interval '11 seconds' where revoked")
      let current = newest
      async let stolen = backend.refresh(first.refresh)
      async let rotated = backend.refresh(current)
      newest = try await rotated["refresh_token"]?.stringValue ?? current
      #expect(try await stolen.code == "refresh_token_already_used")
      #expect(try await backend.refresh(newest).status == 400)
      #expect(try await backend.rows("select count(*) from auth.refresh_tokens where not revoked") == ["0"])
    }
  }

  @Test("Twenty callers with one token, on two backends, get one successor, and nobody is locked out")
  func race() async throws {
    try await SharedCluster.withDatabase { url in
      func with(_ body: (AuthBackend) async throws -> Void) async throws {
        try await AuthBackend.with(
          database: url, configure: { $0.auth.refreshTokenReuseInterval = .seconds(600) }, body)
      }
      try await with { one async throws in
        try await with { two async throws in
          let session = try await one.newSession("ada@example.com")
          for _ in 0..<5 {
            let answers = try await withThrowingTaskGroup(of: AuthBackend.Answer.self) { group in
              for index in 0..<20 {
                group.addTask { try await (index % 2 == 0 ? one : two).refresh(session.refresh) }
              }
              return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
            #expect(Set(answers.map { $0["refresh_token"] }).count == 1)
            #expect(try await one.rows("select count(*) from auth.refresh_tokens where not revoked") == ["1"])
          }
        }
      }
    }
  }

  @Test("Sessions end by their lifetime, by a ban and by a deletion")
  func ends() async throws {
    try await AuthBackend.with {
      $0.auth.sessionLifetime = .seconds(3600)
    } _: { backend async throws in
      let old = try await backend.newSession("old@example.com")
      try await backend.backend.execute("update auth.sessions set created_at = now() - interval '2 hours'")
      #expect(try await backend.refresh(old.refresh).code == "session_expired")
      let limited = try await backend.newSession("limited@example.com")
      try await backend.backend.execute("update auth.sessions set not_after = now() - interval '1 second'")
      #expect(try await backend.refresh(limited.refresh).code == "session_expired")
      let gone = try await backend.newSession("gone@example.com")
      #expect(try await backend.admin(.delete, "/admin/users/\(gone.id)").status == 200)
      #expect(try await backend.refresh(gone.refresh).code == "refresh_token_not_found")
      #expect(try await backend.send(.get, "/user", token: gone.access).code == "user_not_found")
      for token in ["nonsense", "", "a'b\"c\\"] {
        let answer = try await backend.refresh(token)
        #expect(answer.status == 400)
      }
    }
  }

  @Test("Signing out ends this session, the others or all of them")
  func signOut() async throws {
    try await AuthBackend.with { backend async throws in
      try await backend.createUser("ada@example.com")
      func sessions() async throws -> [AuthBackend.Session] {
        var sessions: [AuthBackend.Session] = []
        for _ in 0..<3 { sessions.append(try await backend.signIn("ada@example.com")) }
        return sessions
      }
      for (scope, survivors) in [
        ("?scope=local", [false, true, true]), ("?scope=others", [true, false, false]),
        ("?scope=global", [false, false, false]), ("", [false, false, false]),
      ] {
        let all = try await sessions()
        #expect(try await backend.send(.post, "/logout\(scope)", token: all[0].access).status == 204)
        for (session, survives) in zip(all, survivors) {
          #expect((try await backend.refresh(session.refresh).status == 200) == survives, "\(scope)")
          let answer = try await backend.send(.get, "/user", token: session.access)
          #expect(answer.code == (survives ? nil : "session_not_found"), "\(scope)")
        }
        try await backend.backend.execute("delete from auth.sessions")
      }
      let session = try await backend.signIn("ada@example.com")
      #expect(try await backend.send(.post, "/logout?scope=nonsense", token: session.access).status == 400)
    }
  }

  @Test("Tokens that a key signs are verified by the public half that the service publishes, also by PostgREST")
  func signingKey() async throws {
    let key = try ES256PrivateKey()
    try await AuthBackend.with("create table t (id int); alter table t enable row level security;") {
      $0.jwtSigningKey = key.jwk
    } _: { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let published = try await backend.send(.get, "/.well-known/jwks.json")
      #expect(published["keys"]?[0]?["kid"] == .string(key.identifier))
      #expect(published["keys"]?[0]?["d"] == nil)
      let verifier = JWTVerifier(JWTSettings(keys: try JWTKeySet(published.text)))
      #expect(try verifier.verify(session.access).values["sub"] == .string(session.id))
      #expect(try await backend.send(.get, "/user", token: session.access).status == 200)
      let rows = try await backend.send(.get, backend.backend.restURL.absoluteString + "/t", token: session.access)
      #expect(rows.text == "[]")
      // Keys of the secret are believed beside it.
      #expect(try await backend.admin(.get, "/admin/users").status == 200)
    }
  }
}

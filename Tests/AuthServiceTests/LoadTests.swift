import FoundationEssentials
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterPostgres
import TestSupport
import Testing

@testable import SupabaseServices

@Suite("Auth beside the tables")
struct LoadTests {
  @Test("While sign-ins wait for the database, tables are answered")
  func slowSignIns() async throws {
    let sql = """
      create table t (id int);
      create function hold() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(4711); return new; end $$;
      create trigger hold before insert on auth.sessions for each row execute function hold();
      """
    try await AuthBackend.with(sql) { backend async throws in
      try await backend.createUser("ada@example.com")
      let pool = try PostgresPool(backend.backend.databaseConnection)
      // Held by the session, which the pool keeps.
      _ = try await pool.query("select pg_advisory_lock(4711)")
      try await withThrowingTaskGroup { group in
        let body: JSONValue = ["email": "ada@example.com", "password": .string(AuthBackend.password)]
        // Those that would have to wait for too long are refused.
        for _ in 0..<30 {
          group.addTask {
            let status = try await backend.post("/token?grant_type=password", body).status
            #expect(status == 200 || status == 503)
          }
        }
        let waiting = try await eventually {
          try await backend.rows("select count(*) from pg_locks where locktype = 'advisory' and not granted") != ["0"]
        }
        #expect(waiting)
        for _ in 0..<20 {
          // By connections of its own: the sign-ins have taken all of the other transport's.
          let request = try HTTPRequest(url: backend.backend.restURL.appending(path: "t"))
          let (response, body) = try await CurlTransport.shared.send(request, body: nil)
          #expect(response.status == .ok)
          #expect(try await body.collect(upTo: 10) == Array("[]".utf8))
        }
        // Its connection takes the lock along.
        await pool.close()
        try await group.waitForAll()
      }
      _ = try await backend.signIn("ada@example.com")
    }
  }

  @Test("Refreshes and second factors of one session that cross each other all end well")
  func crossing() async throws {
    try await AuthBackend.with {
      // Others may keep the machine busy for longer than ten seconds.
      $0.auth.refreshTokenReuseInterval = .seconds(600)
    } _: { backend async throws in
      var session = try await backend.newSession("ada@example.com")
      let made = try await backend.send(
        .post, "/factors", ["factor_type": "totp", "friendly_name": "a"], token: session.access)
      let factor = try #require(made["id"]?.stringValue)
      let secret = try #require(made["totp"]?["secret"]?.stringValue.flatMap { TOTP(base32: $0) })
      for _ in 0..<5 {
        session = try backend.session(try await backend.refresh(session.refresh))
        let session = session
        // A code is good once: as if that of the last round were old.
        try await backend.backend.execute("update auth.mfa_challenges set otp_code = '1' where otp_code is not null")
        let answers = try await withThrowingTaskGroup(of: AuthBackend.Answer.self) { group in
          for _ in 0..<8 { group.addTask { try await backend.refresh(session.refresh) } }
          for _ in 0..<4 {
            group.addTask {
              let challenge = try await backend.send(.post, "/factors/\(factor)/challenge", [:], token: session.access)
              return try await backend.send(
                .post, "/factors/\(factor)/verify",
                [
                  "challenge_id": challenge["id"] ?? .null,
                  "code": .string(secret.code(at: Date().timeIntervalSince1970)),
                ], token: session.access)
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        let refused = answers.filter { $0.status != 200 }
        for answer in refused {
          #expect(["mfa_verification_failed", "mfa_challenge_expired"].contains(answer.code), "\(answer.text)")
        }
        // The code changes while a round lasts, so some may be good.
        #expect(refused.count <= 3)
        #expect(try await backend.rows("select count(*) from auth.refresh_tokens where not revoked") == ["1"])
      }
    }
  }
}

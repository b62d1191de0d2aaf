import FoundationEssentials
import SwiftwaterBackend
import SwiftwaterHTTP
import SwiftwaterPostgres
import Testing

@testable import SupabaseServices

@Suite("Second factors")
struct FactorTests {
  /// Enrols an authenticator and lifts the session by it.
  private func enroll(
    _ backend: AuthBackend, _ session: AuthBackend.Session, name: String = "phone app"
  ) async throws -> (factor: String, secret: TOTP, session: AuthBackend.Session) {
    let made = try await backend.send(
      .post, "/factors", ["factor_type": "totp", "friendly_name": .string(name)], token: session.access)
    let factor = try #require(made["id"]?.stringValue, "\(made.text)")
    let secret = try #require(made["totp"]?["secret"]?.stringValue.flatMap { TOTP(base32: $0) })
    return (factor, secret, try await verify(backend, session, factor, secret))
  }

  /// As if the codes that were used were old.
  private func letTimePass(_ backend: AuthBackend) async throws {
    try await backend.backend.execute("update auth.mfa_challenges set otp_code = '1' where otp_code is not null")
  }

  private func challenge(_ backend: AuthBackend, _ session: AuthBackend.Session, _ factor: String) async throws
    -> String
  {
    let answer = try await backend.send(.post, "/factors/\(factor)/challenge", [:], token: session.access)
    return try #require(answer["id"]?.stringValue, "\(answer.text)")
  }

  private func verify(
    _ backend: AuthBackend, _ session: AuthBackend.Session, _ factor: String, _ secret: TOTP
  ) async throws -> AuthBackend.Session {
    let challenge = try await challenge(backend, session, factor)
    try await letTimePass(backend)
    let answer = try await backend.send(
      .post, "/factors/\(factor)/verify",
      ["challenge_id": .string(challenge), "code": .string(secret.code(at: Date().timeIntervalSince1970))],
      token: session.access)
    return try backend.session(answer)
  }

  @Test("An authenticator's code lifts the session, and ends those that lack it")
  func authenticator() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let other = try await backend.signIn("ada@example.com")
      let made = try await backend.send(
        .post, "/factors", ["factor_type": "totp", "friendly_name": "a", "issuer": "Trip Share"], token: session.access)
      #expect(made["type"] == "totp")
      let uri = made["totp"]?["uri"]?.stringValue ?? ""
      #expect(uri.hasPrefix("otpauth://totp/Trip%20Share:ada%40example.com?"))
      #expect(made["totp"]?["qr_code"]?.stringValue?.hasPrefix("<svg ") == true)
      let (factor, secret, lifted) = try await enroll(backend, session)
      #expect(lifted.claims["aal"] == "aal2")
      #expect(Set(lifted.claims["amr"]?.arrayValue?.map { $0["method"] } ?? []) == ["password", "totp"])
      #expect(lifted.claims["session_id"] == session.claims["session_id"])
      // The factor that nobody has verified is gone, and so is the session that had no second factor.
      #expect(lifted.user["factors"]?.arrayValue?.map { $0["id"] } == [.string(factor)])
      #expect(lifted.user["factors"]?[0]?["status"] == "verified")
      #expect(try await backend.refresh(other.refresh).status == 400)
      let refreshed = try backend.session(try await backend.refresh(lifted.refresh))
      #expect(refreshed.claims["aal"] == "aal2")
      // A later sign-in begins at the first level.
      let second = try await backend.signIn("ada@example.com")
      #expect(second.claims["aal"] == "aal1")
      #expect(try await verify(backend, second, factor, secret).claims["aal"] == "aal2")
    }
  }

  @Test("Wrong codes, old challenges and those of others are refused")
  func refusals() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let (factor, secret, lifted) = try await enroll(backend, session)
      func answer(_ challenge: String, _ code: String, _ token: String, _ factor: String) async throws
        -> AuthBackend.Answer
      {
        try await backend.send(
          .post, "/factors/\(factor)/verify", ["challenge_id": .string(challenge), "code": .string(code)], token: token)
      }
      let open = try await challenge(backend, lifted, factor)
      try await letTimePass(backend)
      let code = secret.code(at: Date().timeIntervalSince1970)
      let wrong = try await answer(open, code == "000000" ? "111111" : "000000", lifted.access, factor)
      #expect(wrong.status == 422)
      #expect(wrong.code == "mfa_verification_failed")
      #expect(try await answer(open, "", lifted.access, factor).code == "validation_failed")
      #expect(try await answer("x", code, lifted.access, factor).code == "validation_failed")
      #expect(try await answer(open, code, lifted.access, factor).status == 200)
      #expect(try await answer(open, code, lifted.access, factor).code == "mfa_challenge_expired")
      let old = try await challenge(backend, lifted, factor)
      try await backend.backend.execute("update auth.mfa_challenges set created_at = created_at - interval '6 minutes'")
      #expect(try await answer(old, code, lifted.access, factor).code == "mfa_challenge_expired")
      let stranger = try await backend.newSession("eve@example.com")
      let foreign = try await backend.send(.post, "/factors/\(factor)/challenge", [:], token: stranger.access)
      #expect(foreign.status == 404)
      #expect(foreign.code == "mfa_factor_not_found")
    }
  }

  @Test("A second factor protects itself: changes want the second level")
  func levels() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let (factor, _, lifted) = try await enroll(backend, session)
      let weak = try await backend.signIn("ada@example.com")
      let more: JSONValue = ["factor_type": "totp", "friendly_name": "more"]
      let refused = try await backend.send(.post, "/factors", more, token: weak.access)
      #expect(refused.status == 403)
      #expect(refused.code == "insufficient_aal")
      #expect(try await backend.send(.delete, "/factors/\(factor)", token: weak.access).code == "insufficient_aal")
      let change = try await backend.send(.put, "/user", ["password": "battery staple"], token: weak.access)
      #expect(change.status == 401)
      #expect(change.code == "insufficient_aal")
      #expect(try await backend.send(.post, "/factors", more, token: lifted.access).status == 200)
      let twice = try await backend.send(.post, "/factors", more, token: lifted.access)
      #expect(twice.status == 422)
      #expect(twice.code == "mfa_factor_name_conflict")
      #expect(try await backend.send(.delete, "/factors/\(factor)", token: lifted.access)["id"] == .string(factor))
      let fallen = try backend.session(try await backend.refresh(lifted.refresh))
      #expect(fallen.claims["aal"] == "aal1")
    }
  }

  @Test("A phone is a second factor, by the code that goes to it")
  func phone() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let made = try await backend.send(
        .post, "/factors", ["factor_type": "phone", "friendly_name": "p", "phone": "+491701"], token: session.access)
      let factor = try #require(made["id"]?.stringValue)
      #expect(made["phone"] == "491701")
      let challenge = try await challenge(backend, session, factor)
      let message = try backend.message(to: "491701", .mfa)
      func verify(_ code: String) async throws -> AuthBackend.Answer {
        try await backend.send(
          .post, "/factors/\(factor)/verify", ["challenge_id": .string(challenge), "code": .string(code)],
          token: session.access)
      }
      #expect(try await verify("x").code == "mfa_verification_failed")
      #expect(try await backend.rows("select otp_code from auth.mfa_challenges") != [message.token])
      let lifted = try backend.session(try await verify(message.token))
      #expect(lifted.claims["aal"] == "aal2")
      #expect(lifted.claims["amr"]?.arrayValue?.contains { $0["method"] == "mfa/phone" } == true)
      let again = try await backend.send(
        .post, "/factors", ["factor_type": "phone", "friendly_name": "q", "phone": "491701"], token: lifted.access)
      #expect(again.code == "mfa_verified_factor_exists")
    }
  }

  @Test("There are at most ten, and other kinds are refused")
  func limits() async throws {
    try await AuthBackend.with {
      $0.auth.maximumFactors = 2
    } _: { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      func enroll(_ body: JSONValue) async throws -> AuthBackend.Answer {
        try await backend.send(.post, "/factors", body, token: session.access)
      }
      for name in ["a", "b"] {
        #expect(try await enroll(["factor_type": "totp", "friendly_name": .string(name)]).status == 200)
      }
      #expect(try await enroll(["factor_type": "totp", "friendly_name": "c"]).code == "too_many_enrolled_mfa_factors")
      #expect(try await enroll(["factor_type": "webauthn"]).code == "mfa_webauthn_enroll_not_enabled")
      #expect(try await enroll(["factor_type": "pigeon"]).code == "validation_failed")
      #expect(try await enroll(["factor_type": "phone"]).code == "validation_failed")
    }
  }

  @Test("Administrators list, rename and remove factors")
  func administration() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let (factor, _, _) = try await enroll(backend, session)
      let path = "/admin/users/\(session.id)/factors"
      let list = try await backend.admin(.get, path)
      #expect(list.json.arrayValue?.map { $0["id"] } == [.string(factor)])
      #expect(list.json[0]?["secret"] == nil)
      #expect(try await backend.admin(.put, "\(path)/\(factor)", ["friendly_name": "x"])["friendly_name"] == "x")
      #expect(try await backend.admin(.delete, "\(path)/\(factor)")["id"] == .string(factor))
      #expect(try await backend.admin(.delete, "\(path)/\(factor)").code == "mfa_factor_not_found")
    }
  }

  @Test("A session of the first level adds no factor where there is one, however it was begun")
  func secondFactorOfAnother() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let (_, _, lifted) = try await enroll(backend, session)
      let made = try await backend.send(
        .post, "/factors", ["factor_type": "totp", "friendly_name": "second"], token: lifted.access)
      let factor = try #require(made["id"]?.stringValue)
      let secret = try #require(made["totp"]?["secret"]?.stringValue.flatMap { TOTP(base32: $0) })
      let code = secret.code(at: Date().timeIntervalSince1970)
      // Whoever has the password alone.
      let weak = try await backend.signIn("ada@example.com")
      let challenge = try await challenge(backend, weak, factor)
      let answer = try await backend.send(
        .post, "/factors/\(factor)/verify", ["challenge_id": .string(challenge), "code": .string(code)],
        token: weak.access)
      #expect(answer.status == 403)
      #expect(answer.code == "insufficient_aal")
      // The statements hold where both happen at once, after the request has looked.
      let pool = try PostgresPool(backend.backend.databaseConnection)
      let database = AuthDatabase(pool: pool, passwordPool: pool)
      let weakSession = try #require(weak.claims["session_id"]?.stringValue)
      let entry = AuditEntry(action: .factorInProgress, actorID: session.id, actorName: "", address: "")
      func insert(_ session: String) async throws -> Bool {
        try await database.session(
          session,
          after: FactorStatements.insert(
            Secrets.uuid(), user: weak.id, session: session, kind: "totp", name: "", secret: "A", phone: nil, limit: 10,
            audit: entry)) != nil
      }
      func verify(_ session: String) async throws -> Bool {
        try await database.session(
          session,
          after: FactorStatements.verify(
            challenge: challenge, factor: factor, user: weak.id, session: session, method: "totp", step: nil,
            refreshToken: Secrets.uuid(), audit: entry)) != nil
      }
      #expect(try await !insert(weakSession))
      #expect(try await !verify(weakSession))
      #expect(try await !verify(Secrets.uuid()))
      let strongSession = try #require(lifted.claims["session_id"]?.stringValue)
      #expect(try await insert(strongSession))
      #expect(try await verify(strongSession))
      await database.pool.close()
      // With two factors either lifts a new session.
      let third = try await backend.signIn("ada@example.com")
      #expect(try await self.verify(backend, third, factor, secret).claims["aal"] == "aal2")
    }
  }

  @Test("An authenticator's code is good once, also for twenty sessions at once", arguments: ["aal1", "aal2"])
  func codesAreGoodOnce(level: String) async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let (factor, secret, lifted) = try await enroll(backend, session)
      func answer(_ token: String, _ challenge: String, _ code: String) async throws -> AuthBackend.Answer {
        try await backend.send(
          .post, "/factors/\(factor)/verify", ["challenge_id": .string(challenge), "code": .string(code)], token: token)
      }
      // The code of the enrolment, or of a step that has begun since: after one that is later still.
      let step = Int(Date().timeIntervalSince1970) / TOTP.period
      try await backend.backend.execute(
        "update auth.mfa_challenges set otp_code = '\(step + 2)' where otp_code is not null")
      let open = try await challenge(backend, lifted, factor)
      let refused = try await answer(lifted.access, open, secret.code(at: Date().timeIntervalSince1970))
      #expect(refused.status == 422)
      #expect(refused.code == "mfa_verification_failed")
      // The challenge is not used up by it.
      try await letTimePass(backend)
      var rivals: [(token: String, challenge: String)] = []
      for _ in 0..<20 {
        let rival = try await backend.signIn("ada@example.com")
        rivals.append((rival.access, try await challenge(backend, rival, factor)))
      }
      // Those of the first level end with the first who is lifted; those of the second stay.
      try await backend.backend.execute("update auth.sessions set aal = '\(level)'")
      let code = secret.code(at: Date().timeIntervalSince1970)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for rival in rivals { group.addTask { try await answer(rival.token, rival.challenge, code).status } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.count { $0 == 200 } == 1)
      #expect(statuses.allSatisfy { $0 < 500 }, "\(statuses)")
      let late = try await answer(lifted.access, open, code)
      #expect(late.code == (level == "aal1" ? "session_not_found" : "mfa_verification_failed"))
    }
  }
}

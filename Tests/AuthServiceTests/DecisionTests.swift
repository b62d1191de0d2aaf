import SwiftwaterHTTP
import SwiftwaterPostgres
import Testing

@testable import SupabaseServices

@Suite("What Auth decides, without a database")
struct DecisionTests {
  private typealias Presented = RefreshDecision.Presented

  private func decision(
    isRevoked: Bool = false, age: Double = 1, session: String? = "s", sessionAge: Double? = 100, isOver: Bool = false,
    isBanned: Bool = false, newest: String? = "newest", isParent: Bool = false, lifetime: Duration? = nil
  ) -> RefreshDecision {
    RefreshDecision(
      Presented(
        id: 1, isRevoked: isRevoked, age: age, sessionID: session, sessionAge: sessionAge, isSessionOver: isOver,
        isBanned: isBanned, newest: newest, isParentOfNewest: isParent),
      reuseInterval: .seconds(10), sessionLifetime: lifetime)
  }

  private func code(_ decision: RefreshDecision) -> String? {
    if case .refuse(let error) = decision { error.code.rawValue } else { nil }
  }

  @Test("A refresh token is rotated, hands out its successor for ten seconds, and then ends its family")
  func refresh() {
    #expect(decision() == .rotate)
    #expect(decision(age: 1e6) == .rotate)
    #expect(decision(isRevoked: true, age: 0) == .hand("newest"))
    #expect(decision(isRevoked: true, age: 10) == .hand("newest"))
    #expect(decision(isRevoked: true, age: 10.1) == .revokeFamily)
    #expect(decision(isRevoked: true, age: 1, newest: nil) == .revokeFamily)
    // Nobody has used its successor yet, so that may have been lost on the way.
    #expect(decision(isRevoked: true, age: 1e6, isParent: true) == .hand("newest"))
  }

  @Test("A session that is over, and a user who is banned, get no token")
  func refusedRefresh() {
    #expect(code(decision(isBanned: true)) == "user_banned")
    #expect(code(decision(session: nil, sessionAge: nil)) == "session_not_found")
    #expect(code(decision(isOver: true)) == "session_expired")
    #expect(code(decision(sessionAge: 3601, lifetime: .seconds(3600))) == "session_expired")
    #expect(decision(sessionAge: 3599, lifetime: .seconds(3600)) == .rotate)
  }

  @Test("A bucket is emptied by so many requests, refills steadily, and belongs to one address")
  func rateLimits() throws {
    var limits = RateLimits()
    limits.signIns = 3
    let limiter = RateLimiter(limits, isEnabled: true)
    let start = ContinuousClock.now
    for _ in 0..<3 { try limiter.take(.signIns(address: "a"), now: start) }
    do {
      try limiter.take(.signIns(address: "a"), now: start)
      Issue.record("It was granted.")
    } catch {
      #expect(error.status == 429)
      #expect(error.code == .overRequestRateLimit)
      #expect(error.retryAfter == 100)
    }
    try limiter.take(.signIns(address: "b"), now: start)
    #expect(throws: AuthError.self) { try limiter.take(.signIns(address: "a"), now: start + .seconds(99)) }
    try limiter.take(.signIns(address: "a"), now: start + .seconds(101))
    limits.emailsSent = 0
    do {
      try RateLimiter(limits, isEnabled: true).take(.emails)
      Issue.record("It was granted.")
    } catch {
      #expect(error.code == .overEmailSendRateLimit)
    }
    for _ in 0..<100 { try RateLimiter(limits, isEnabled: false).take(.emails) }
  }

  @Test("A flood of addresses drives out others, but neither those that come again nor what all share")
  func flood() throws {
    var limits = RateLimits()
    (limits.signIns, limits.emailsSent) = (2, 1)
    let limiter = RateLimiter(limits, isEnabled: true)
    let start = ContinuousClock.now
    try limiter.take(.emails, now: start)
    for number in 0..<25_000 {
      let now = start + .milliseconds(number)
      try limiter.take(.signIns(address: "\(number)"), now: now)
      if number == 0 { try limiter.take(.signIns(address: "often"), now: now) }
      if number % 100 == 0 { _ = try? limiter.take(.signIns(address: "often"), now: now) }
    }
    let end = start + .seconds(25)
    #expect(throws: AuthError.self) { try limiter.take(.signIns(address: "often"), now: end) }
    #expect(throws: AuthError.self) { try limiter.take(.emails, now: end) }
  }

  @Test("Browsers are sent to the application, to this machine and to what is listed, and nowhere else")
  func redirects() {
    let rules = RedirectRules(
      siteURL: "https://app.example/start",
      patterns: ["myapp://callback", "https://*.preview.example/**", "https://exact.example/a/*"])
    for address in [
      "https://app.example", "https://app.example/any?x=1#f", "http://127.0.0.1:9/x", "http://localhost:3000",
      "http://[::1]:5/", "http://[::1]", "http://127.0.0.1:/", "myapp://callback", "myapp://callback#x",
      "https://one.preview.example/deep/path",
      "https://exact.example/a/b",
    ] {
      #expect(rules.target(address) == address, "\(address)")
    }
    for address in [
      "https://evil.example", "https://app.example.evil.example", "https://app.example@evil.example/",
      "https://127.0.0.1.evil.example", "javascript:alert(1)", "//evil.example", "https://evil.example\\@app.example",
      "myapp://other", "https://a.b.preview.example/x", "https://exact.example/a/b/c", "https://exact.example/a/b.c",
      "http://127.1", "https://app.example/\r\nSet-Cookie: a=b", "data:text/html,x", "evil", "",
      "http://[::1].evil.com", "http://[::1]evil.com/", "http://127.0.0.1:evil.com/", "http://127.0.0.1:+1/",
      "http://127.0.0.1:99999/", "http://localhost:1:2/", "http://[::1", "http://[]/", "http://[x]/", "http://::1/",
      "https://app.example]/",
    ] {
      #expect(rules.target(address) == "https://app.example/start", "\(address)")
    }
    #expect(rules.target(nil) == "https://app.example/start")
  }

  @Test("Addresses are stored in one spelling, and what is none is refused")
  func addresses() throws {
    #expect(try Address.email("Ada@Example.COM") == "ada@example.com")
    #expect(try Address.email("a+b_c.d@x-y.example") == "a+b_c.d@x-y.example")
    for text in [
      "", "ada", "@x", "a@", "a@b@c", "a b@c", "a@b..c", "a@.b", "a@b.", "a@b\u{0}", "\"a\"@b", "a@b,c",
      "a\u{200B}@b", "a@b\u{200B}c", "a\u{A0}@b", "a\u{85}@b", "a\u{2028}@b", "a@b\u{2029}c", "a\u{AD}@b",
      "a\u{202E}@b",
      "a\u{3000}@b", "\u{FEFF}a@b",
    ] {
      #expect(throws: AuthError.self, "\(text)") { try Address.email(text) }
    }
    #expect(throws: AuthError.self) { try Address.email(String(repeating: "a", count: 250) + "@b.example") }
    #expect(try Address.email("é@ü.example") == "é@ü.example")
    #expect(try Address.phone("+49 170 1234567") == "491701234567")
    for text in ["", "0170", "+1", "12345678901234567", "12-34", "abc", "١٢٣٤"] {
      #expect(throws: AuthError.self, "\(text)") { try Address.phone(text) }
    }
  }

  @Test("A weak password is told what it lacks")
  func passwords() {
    var rules = PasswordRules()
    #expect(rules.fault(of: "123456") == nil)
    #expect(rules.fault(of: "12345")?.reasons == ["length"])
    rules.minimumLength = 8
    rules.requiredCharacters = ["abcdefghijklmnopqrstuvwxyz", "0123456789"]
    #expect(rules.fault(of: "abcdefgh")?.reasons == ["characters"])
    #expect(rules.fault(of: "abc")?.reasons == ["length", "characters"])
    #expect(rules.fault(of: "abcdefg1") == nil)
  }

  @Test("A verifier fits the challenge that was made of it, as in RFC 7636's example, and no other")
  func challenges() throws {
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let hashed = try #require(
      try PKCEChallenge(challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", method: "S256"))
    #expect(hashed.accepts(verifier))
    #expect(!hashed.accepts(verifier + "x"))
    #expect(try #require(try PKCEChallenge(challenge: verifier, method: "plain")).accepts(verifier))
    #expect(try PKCEChallenge(challenge: nil, method: nil) == nil)
    #expect(try PKCEChallenge(challenge: "", method: "") == nil)
    for (challenge, method) in [
      (verifier, nil), (nil, "s256"), ("short", "s256"), (verifier, "s512"), (verifier + "=", "s256"),
    ] {
      #expect(throws: AuthError.self) { try PKCEChallenge(challenge: challenge, method: method) }
    }
  }

  @Test(
    "Codes of an authenticator are those of RFC 6238",
    arguments: [
      (59.0, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
      (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ])
  func oneTimeCodes(time: Double, code: String) {
    let secret = TOTP(secret: Array("12345678901234567890".utf8))
    #expect(secret.code(at: time) == code)
    let step = Int(time) / 30
    for other in [time, time + 30, max(0, time - 30)] { #expect(secret.step(of: code, at: other) == step) }
    #expect(secret.step(of: code, at: time + 90) == nil)
    #expect(secret.step(of: "", at: time) == nil)
    #expect(TOTP(base32: secret.base32) == secret)
  }

  @Test("Secrets of authenticators are base32, and nothing else is read as one")
  func base32() {
    #expect(TOTP(secret: Array("foobar".utf8)).base32 == "MZXW6YTBOI")
    #expect(TOTP(base32: "MZXW6YTBOI") == TOTP(secret: Array("foobar".utf8)))
    for text in ["", "mzxw", "M1", "M="] { #expect(TOTP(base32: text) == nil) }
    #expect(TOTP() != TOTP())
  }

  @Test("Durations of bans are read as Go writes them")
  func durations() {
    for (text, seconds) in [("24h", 86_400.0), ("1h30m", 5400), ("1.5h", 5400), ("100ms", 0.1), ("-5s", -5), ("0", 0)] {
      #expect(GoDuration.seconds(text) == seconds, "\(text)")
    }
    for text in ["", "24", "h", "1d", "1h 2m", "1e9h", "nan", "999999999999999999h"] {
      #expect(GoDuration.seconds(text) == nil, "\(text)")
    }
  }

  private func identity(isVerified: Bool) throws -> ExternalIdentity {
    try ExternalIdentity(
      provider: "acme", claims: ["sub": "1", "email": "A@b.example", "email_verified": .bool(isVerified)])
  }

  @Test("An identity signs its owner in, is linked by a proven address alone, and never changes hands")
  func identities() throws {
    let proven = try identity(isVerified: true)
    let claimed = try identity(isVerified: false)
    #expect(proven.email == "a@b.example")
    #expect(proven.decision(owner: nil, addressOwner: nil, linkingUser: nil) == .create)
    #expect(claimed.decision(owner: "u", addressOwner: ("v", true), linkingUser: nil) == .signIn(user: "u"))
    #expect(
      proven.decision(owner: nil, addressOwner: ("v", true), linkingUser: nil) == .link(user: "v", takesOver: false))
    #expect(
      proven.decision(owner: nil, addressOwner: ("v", false), linkingUser: nil) == .link(user: "v", takesOver: true))
    guard case .refuse(let error) = claimed.decision(owner: nil, addressOwner: ("v", true), linkingUser: nil) else {
      Issue.record("Somebody else's address is enough.")
      return
    }
    #expect(error.code == .providerEmailNeedsVerification)
    #expect(
      claimed.decision(owner: nil, addressOwner: ("v", true), linkingUser: "w") == .link(user: "w", takesOver: false))
    for owner in ["w", "u"] {
      guard case .refuse(let error) = claimed.decision(owner: owner, addressOwner: nil, linkingUser: "w") else {
        Issue.record("It has changed hands.")
        return
      }
      #expect(error.code == .identityAlreadyExists)
    }
  }

  @Test("Only dates from the second version on ask for codes of text")
  func versions() {
    func hasTextCodes(_ version: String?) -> Bool {
      var request = HTTPRequest(method: .get, scheme: "http", authority: "", path: "/")
      request.headerFields[.apiVersion] = version
      return APIVersion(request).hasTextCodes
    }
    for version in ["2024-01-01", "2025-06-07"] { #expect(hasTextCodes(version)) }
    for version in [nil, "", "2023-12-31", "latest", "9", "2024-1-1", "9999-99"] { #expect(!hasTextCodes(version)) }
  }

  @Test("What the database keeps of a token is neither the token nor made of it without the secret")
  func seals() {
    let link = Secrets.link(recipient: "a@b.example", code: "123456")
    #expect(link.utf8.count == 56)
    let seal = TokenSeal(secret: "one").seal(link)
    #expect(seal != link)
    #expect(seal == TokenSeal(secret: "one").seal(link))
    #expect(seal != TokenSeal(secret: "two").seal(link))
    #expect(Set((0..<100).map { _ in Secrets.uuid() }).count == 100)
    #expect(AuthEndpoints.isUUID(Secrets.uuid()))
    for text in ["", "x", "00000000-0000-0000-0000-00000000000g", "00000000000000000000000000000000"] {
      #expect(!AuthEndpoints.isUUID(text))
    }
  }

  @Test(
    "What two requests do to each other in the database is nobody's fault",
    arguments: [
      ("23503", "one_time_tokens_user_id_fkey", 404, "user_not_found"),
      ("23503", "refresh_tokens_session_id_fkey", 403, "session_not_found"),
      ("23503", "mfa_challenges_auth_factor_id_fkey", 404, "mfa_factor_not_found"),
      ("23505", "users_pkey", 422, "user_already_exists"),
      ("23505", "identities_provider_id_provider_unique", 422, "identity_already_exists"),
      ("23505", "refresh_tokens_token_unique", 409, "conflict"), ("40P01", "", 409, "conflict"),
      ("22001", "", 400, "validation_failed"), ("22003", "", 400, "validation_failed"),
      ("XX000", "", 500, "unexpected_failure"),
    ])
  func databaseErrors(state: String, constraint: String, status: Int, code: String) {
    var error = PostgresError(.statementFailed, "")
    (error.sqlState, error.constraintName) = (state, constraint)
    #expect(AuthError(error).status == status)
    #expect(AuthError(error).code.rawValue == code)
    // A trigger of the project's own failed: its author hears what is wrong.
    error.context = "PL/pgSQL function f() line 1 at RAISE"
    #expect(AuthError(error).status == 500)
  }
}

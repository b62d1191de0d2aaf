import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTP
import TestSupport
import Testing

@Suite("Signing up and in")
struct SignUpTests {
  private let password = AuthBackend.password

  private func credentials(_ email: String, _ password: String? = nil) -> JSONValue {
    ["email": .string(email), "password": .string(password ?? self.password)]
  }

  @Test("Who signs up gets a code by mail, and a session for it and not before")
  func confirmation() async throws {
    try await AuthBackend.with { backend async throws in
      var body = credentials("Ada@Example.com")
      body["data"] = ["name": "Ada", "email_verified": true, "nothing": nil]
      let user = try await backend.post("/signup", body)
      #expect(user.status == 200)
      #expect(user["email"] == "ada@example.com")
      #expect(user["access_token"] == nil)
      #expect(user["user_metadata"]?["name"] == "Ada")
      #expect(user["user_metadata"]?["email_verified"] == false)
      #expect(user["user_metadata"]?["nothing"] == .null)
      #expect(user["app_metadata"] == ["provider": "email", "providers": ["email"]])
      #expect(user["identities"]?[0]?["identity_data"]?["email"] == "ada@example.com")
      #expect(user["email_confirmed_at"] == nil)

      let early = try await backend.post("/token?grant_type=password", credentials("ada@example.com"))
      #expect(early.status == 400)
      #expect(early.code == "email_not_confirmed")

      let message = try backend.message(to: "ada@example.com")
      #expect(message.kind == .signUp)
      #expect(message.token.utf8.count == 6)
      let wrong = try await backend.post(
        "/verify", ["type": "signup", "email": "ada@example.com", "token": message.token == "000000" ? "1" : "000000"])
      #expect(wrong.status == 403)
      #expect(wrong.code == "otp_expired")
      let session = try backend.session(
        try await backend.post(
          "/verify", ["type": "signup", "email": "ADA@example.com", "token": .string(message.token)]))
      #expect(session.user["email_confirmed_at"] != nil)
      #expect(session.user["identities"]?[0]?["identity_data"]?["email_verified"] == true)
      #expect(session.claims["sub"] == user["id"])
      #expect(session.claims["amr"]?[0]?["method"] == "otp")

      let signedIn = try await backend.signIn("ada@example.com")
      let claims = signedIn.claims
      #expect(claims["role"] == "authenticated")
      #expect(claims["aud"] == "authenticated")
      #expect(claims["aal"] == "aal1")
      #expect(claims["is_anonymous"] == false)
      #expect(claims["email"] == "ada@example.com")
      #expect(claims["iss"] == .string(backend.backend.authURL.absoluteString))
      #expect(claims["session_id"]?.stringValue?.isEmpty == false)
      #expect((claims["exp"]?.intValue ?? 0) - (claims["iat"]?.intValue ?? 0) == 3600)
      let seen = try await backend.send(.get, "/user", token: signedIn.access)
      #expect(seen["id"] == user["id"])
    }
  }

  @Test("A wrong password, nobody's address and what is no address are told apart by nothing")
  func invalidCredentials() async throws {
    try await AuthBackend.with { backend async throws in
      try await backend.createUser("ada@example.com")
      for body in [
        credentials("ada@example.com", "wrong"), credentials("bob@example.com"), credentials("nonsense"),
        credentials("ada@example.com", ""),
        credentials("ada@example.com", password + String(repeating: "x", count: 60)),
        ["email": "ada@example.com"],
      ] {
        let answer = try await backend.post("/token?grant_type=password", body)
        #expect(answer.status == 400)
        #expect(answer.json == ["code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"])
      }
      let field = try #require(HTTPField.Name("X-Supabase-Api-Version"))
      let answer = try await backend.send(
        .post, "/token?grant_type=password", credentials("bob@example.com"), [field: "2024-01-01"])
      #expect(answer.json == ["code": "invalid_credentials", "message": "Invalid login credentials"])
      #expect(answer.fields[field] == "2024-01-01")
      #expect(answer.code == "invalid_credentials")
    }
  }

  @Test("Whoever signs up by an address that is somebody's learns nothing of it, and changes nothing")
  func repeated() async throws {
    try await AuthBackend.with { backend async throws in
      let id = try await backend.createUser("ada@example.com")
      let answer = try await backend.post("/signup", credentials("ada@example.com", "another one"))
      #expect(answer.status == 200)
      #expect(answer["id"]?.stringValue?.isEmpty == false)
      #expect(answer["id"] != .string(id))
      #expect(answer["identities"] == [])
      #expect(answer["email"] == "ada@example.com")
      #expect(answer["confirmation_sent_at"] != nil)
      #expect(backend.backend.inbox.isEmpty)
      _ = try await backend.signIn("ada@example.com")
      // Nobody has confirmed this one: the mail comes again, the first password stays.
      for secret in ["first one", "second one"] {
        let user = try await backend.post("/signup", credentials("bob@example.com", secret))
        #expect(user.status == 200)
      }
      #expect(backend.backend.inbox.count == 2)
      let message = try backend.message(to: "bob@example.com")
      _ = try backend.session(
        try await backend.post(
          "/verify", ["type": "email", "email": "bob@example.com", "token": .string(message.token)]))
      _ = try await backend.signIn("bob@example.com", password: "first one")
    }
  }

  @Test("Twenty who sign up by one address at once make one user")
  func race() async throws {
    try await AuthBackend.with { backend async throws in
      let body = credentials("ada@example.com")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<20 { group.addTask { try await backend.post("/signup", body).status } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(statuses) == [200])
      #expect(try await backend.rows("select count(*) from auth.users") == ["1"])
      #expect(try await backend.rows("select count(*) from auth.identities") == ["1"])
    }
  }

  @Test("With confirmation at once a sign-up is a sign-in, and a second one is told the truth")
  func autoconfirm() async throws {
    try await AuthBackend.with {
      ($0.auth.confirmsEmailAtOnce, $0.auth.confirmsPhoneAtOnce) = (true, true)
    } _: { backend async throws in
      let session = try backend.session(try await backend.post("/signup", credentials("ada@example.com")))
      #expect(session.claims["amr"]?[0]?["method"] == "password")
      #expect(session.user["email_confirmed_at"] != nil)
      let again = try await backend.post("/signup", credentials("ada@example.com"))
      #expect(again.status == 422)
      #expect(again.code == "user_already_exists")
      let phone = try backend.session(
        try await backend.post("/signup", ["phone": "+49 170 1", "password": .string(password)]))
      #expect(phone.user["phone"] == "491701")
      #expect(backend.backend.inbox.isEmpty)
    }
  }

  @Test("A phone number is confirmed by a text message")
  func phone() async throws {
    try await AuthBackend.with { backend async throws in
      let user = try await backend.post("/signup", ["phone": "+49 1701", "password": .string(password)])
      #expect(user["phone"] == "491701")
      let body: JSONValue = ["phone": "491701", "password": .string(password)]
      #expect(try await backend.post("/token?grant_type=password", body).code == "phone_not_confirmed")
      let message = try backend.message(to: "491701")
      #expect(message.channel == .sms)
      #expect(message.link == nil)
      // What went to a phone confirms no address.
      let asMail = try await backend.post(
        "/verify", ["type": "email", "email": "491701@x", "token": .string(message.token)])
      #expect(asMail.code == "otp_expired")
      let session = try backend.session(
        try await backend.post("/verify", ["type": "sms", "phone": "+491701", "token": .string(message.token)]))
      #expect(session.user["phone_confirmed_at"] != nil)
      _ = try backend.session(try await backend.post("/token?grant_type=password", body))
      // By a code alone, too.
      #expect(try await backend.post("/otp", ["phone": "+491701"])["message_id"] != nil)
      let second = try backend.message(to: "491701")
      _ = try backend.session(
        try await backend.post("/verify", ["type": "sms", "phone": "+491701", "token": .string(second.token)]))
    }
  }

  @Test("An anonymous user becomes one with an address, and stays the same")
  func anonymous() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try backend.session(try await backend.post("/signup", ["data": ["a": 1]]))
      #expect(session.claims["is_anonymous"] == true)
      #expect(session.user["user_metadata"] == ["a": 1])
      let early = try await backend.send(.put, "/user", ["password": "new password"], token: session.access)
      #expect(early.status == 422)
      #expect(try await backend.send(.post, "/factors", ["factor_type": "totp"], token: session.access).status == 403)
      let update = try await backend.send(.put, "/user", ["email": "ada@example.com"], token: session.access)
      #expect(update.status == 200)
      #expect(update["new_email"] == "ada@example.com")
      #expect(update["is_anonymous"] == true)
      let message = try backend.message(to: "ada@example.com")
      let named = try backend.session(
        try await backend.post(
          "/verify", ["type": "email_change", "email": "ada@example.com", "token": .string(message.token)]))
      #expect(named.id == session.id)
      #expect(named.claims["is_anonymous"] == false)
      #expect(named.claims["email"] == "ada@example.com")
      #expect(named.user["identities"]?[0]?["provider"] == "email")
      #expect(named.user["app_metadata"]?["providers"] == ["email"])
      let secret = try await backend.send(.put, "/user", ["password": "new password"], token: named.access)
      #expect(secret.status == 200)
      _ = try await backend.signIn("ada@example.com", password: "new password")
    }
  }

  @Test("What is switched off says so")
  func switchedOff() async throws {
    try await AuthBackend.with {
      $0.auth.allowsAnonymousUsers = false
      $0.auth.allowsPhone = false
      $0.auth.passwords.minimumLength = 8
      $0.auth.passwords.requiredCharacters = ["0123456789"]
    } _: { backend async throws in
      #expect(try await backend.post("/signup", [:]).code == "anonymous_provider_disabled")
      #expect(
        try await backend.post("/signup", ["phone": "491701", "password": "12345678"]).code == "phone_provider_disabled"
      )
      #expect(try await backend.post("/otp", ["phone": "491701"]).code == "phone_provider_disabled")
      let weak = try await backend.post("/signup", credentials("ada@example.com", "short"))
      #expect(weak.status == 422)
      #expect(weak.code == "weak_password")
      #expect(weak["weak_password"]?["reasons"] == ["length", "characters"])
      let settings = try await backend.send(.get, "/settings")
      #expect(settings["external"]?["phone"] == false)
      #expect(settings["external"]?["email"] == true)
      #expect(settings["mailer_autoconfirm"] == false)
    }
    try await AuthBackend.with {
      $0.auth.allowsSignUp = false
    } _: { backend async throws in
      for answer in [
        try await backend.post("/signup", credentials("a@b.example")), try await backend.post("/signup", [:]),
        try await backend.post("/otp", ["email": "a@b.example"]),
      ] {
        #expect(answer.status == 422)
        #expect(answer.code == "signup_disabled")
      }
      #expect(try await backend.send(.get, "/settings")["disable_signup"] == true)
    }
  }

  @Test("A password that was made elsewhere by bcrypt signs in")
  func importedHash() async throws {
    try await AuthBackend.with { backend async throws in
      // "secret1", by libraries that write 2b and 2y.
      let hash = try await backend.rows("select extensions.crypt('secret1', extensions.gen_salt('bf', 4))")[0]
      for (index, letter) in ["a", "b", "y"].enumerated() {
        let email = "user\(index)@example.com"
        let answer = try await backend.admin(
          .post, "/admin/users",
          [
            "email": .string(email), "email_confirm": true,
            "password_hash": .string(hash.replacing("$2a$", with: "$2\(letter)$")),
          ])
        #expect(answer.status == 200)
        _ = try await backend.signIn(email, password: "secret1")
      }
    }
  }

  private static let table = "select string_agg(u::text, '|' order by id) from auth.users u"

  @Test("Where no message can be sent, the request fails and changes nothing")
  func noDelivery() async throws {
    try await AuthBackend.with {
      $0.isDevelopment = false
      $0.auth.rateLimits.isEnabled = false
    } _: { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let before = try await backend.rows(Self.table)
      for (path, body) in [
        ("/signup", credentials("bob@example.com")), ("/otp", ["email": "bob@example.com"]),
        ("/magiclink", ["email": "bob@example.com"]), ("/otp", ["email": "ada@example.com"]),
        ("/recover", ["email": "ada@example.com"]),
      ] {
        #expect(try await backend.post(path, body).status == 500, "\(path)")
      }
      for (path, body) in [
        ("/signup", ["phone": "491701", "password": .string(password)] as JSONValue), ("/otp", ["phone": "491701"]),
      ] {
        #expect(try await backend.post(path, body).code == "sms_send_failed", "\(path)")
      }
      #expect(try await backend.admin(.post, "/invite", ["email": "bob@example.com"]).status == 500)
      var change: JSONValue = ["email": "new@example.com", "password": "another one", "data": ["a": 1]]
      #expect(try await backend.send(.put, "/user", change, token: session.access).status == 500)
      change["email"] = nil
      change["phone"] = "491701"
      #expect(try await backend.send(.put, "/user", change, token: session.access).code == "sms_send_failed")
      #expect(try await backend.rows(Self.table) == before)
      #expect(try await backend.rows("select count(*) from auth.one_time_tokens") == ["0"])
      #expect(
        try await backend.rows(
          "select distinct payload ->> 'action' from auth.audit_log_entries order by 1") == ["login", "user_signedup"])
      _ = try await backend.signIn("ada@example.com")
    }
  }

  @Test("Where too many messages were sent, the request is refused and changes nothing")
  func messageLimits() async throws {
    try await AuthBackend.with {
      $0.auth.rateLimits.isEnabled = true
      $0.auth.rateLimits.emailsSent = 1
      $0.auth.rateLimits.textMessagesSent = 0
    } _: { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let before = try await backend.rows(Self.table)
      // Both addresses would have to be asked.
      let change: JSONValue = ["email": "new@example.com", "password": "another one", "data": ["a": 1]]
      #expect(try await backend.send(.put, "/user", change, token: session.access).status == 429)
      for (path, body) in [
        ("/signup", credentials("bob@example.com")), ("/otp", ["email": "bob@example.com"]),
        ("/signup", ["phone": "491701", "password": .string(password)]), ("/otp", ["phone": "491701"]),
      ] {
        #expect(try await backend.post(path, body).status == 429, "\(path)")
      }
      #expect(try await backend.admin(.post, "/invite", ["email": "bob@example.com"]).status == 429)
      #expect(try await backend.rows(Self.table) == before)
      #expect(backend.backend.inbox.isEmpty)
    }
  }

  @Test("Twenty who ask for a code by one new address at once all get one", arguments: ["email", "phone"])
  func codeRace(kind: String) async throws {
    try await AuthBackend.with { backend async throws in
      let body: JSONValue = [kind: kind == "email" ? "ada@example.com" : "491701"]
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<20 { group.addTask { try await backend.post("/otp", body).status } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(statuses) == [200])
      #expect(try await backend.rows("select count(*) from auth.users") == ["1"])
      #expect(backend.backend.inbox.count == 20)
    }
  }

  @Test("A user who is removed while signing in gets no session, and no fault")
  func removedMeanwhile() async throws {
    try await AuthBackend.with(
      """
      create function vanish() returns trigger language plpgsql as $$ begin return null; end $$;
      """
    ) { backend async throws in
      try await backend.createUser("ada@example.com")
      // As if the row had gone between the look at it and the change.
      try await backend.backend.execute(
        "create trigger vanish before update on auth.users for each row execute function vanish()")
      let answer = try await backend.post("/token?grant_type=password", credentials("ada@example.com"))
      #expect(answer.status == 400)
      #expect(answer.code == "invalid_credentials")
    }
  }
}

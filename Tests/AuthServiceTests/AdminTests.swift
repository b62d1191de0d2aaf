import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTP
import Testing

@Suite("Administrators")
struct AdminTests {
  private let nobody = "00000000-0000-4000-8000-000000000000"

  @Test("Users are made, found, changed and removed")
  func users() async throws {
    try await AuthBackend.with { backend async throws in
      let made = try await backend.admin(
        .post, "/admin/users",
        [
          "id": "11111111-1111-4111-8111-111111111111", "email": "ada@example.com", "phone": "+491701",
          "password": .string(AuthBackend.password), "email_confirm": true, "user_metadata": ["a": 1],
          "app_metadata": ["b": 2], "role": "authenticated",
        ])
      #expect(made.status == 200)
      #expect(made["id"] == "11111111-1111-4111-8111-111111111111")
      #expect(made["user_metadata"] == ["a": 1])
      #expect(made["app_metadata"] == ["provider": "email", "providers": ["email", "phone"], "b": 2])
      #expect(made["identities"]?.arrayValue?.count == 2)
      #expect(made["phone_confirmed_at"] == nil)
      let path = "/admin/users/11111111-1111-4111-8111-111111111111"
      #expect(try await backend.admin(.get, path)["email"] == "ada@example.com")
      #expect(try await backend.admin(.post, "/admin/users", ["email": "ADA@example.com"]).code == "email_exists")
      #expect(try await backend.admin(.post, "/admin/users", ["phone": "491701"]).code == "phone_exists")
      let session = try await backend.signIn("ada@example.com")
      let changed = try await backend.admin(
        .put, path,
        [
          "email": "lady@example.com", "password": "battery staple", "phone_confirm": true,
          "app_metadata": ["b": nil, "c": 3],
        ])
      #expect(changed["email"] == "lady@example.com")
      #expect(changed["phone_confirmed_at"] != nil)
      #expect(changed["app_metadata"]?["b"] == nil)
      #expect(changed["app_metadata"]?["c"] == 3)
      #expect(try await backend.refresh(session.refresh).status == 400)
      _ = try await backend.signIn("lady@example.com", password: "battery staple")
      #expect(try await backend.admin(.delete, path).json == [:])
      for method in [HTTPRequest.Method.get, .put, .delete] {
        let answer = try await backend.admin(method, path, method == .put ? [:] : nil)
        #expect(answer.status == 404)
        #expect(answer.code == "user_not_found")
        #expect(try await backend.admin(method, "/admin/users/nonsense", method == .put ? [:] : nil).status == 404)
      }
    }
  }

  @Test("Lists come in pages that say where the others are")
  func pages() async throws {
    try await AuthBackend.with { backend async throws in
      for index in 0..<5 { try await backend.createUser("user\(index)@example.com") }
      var found: [String] = []
      for page in 1...3 {
        let answer = try await backend.admin(.get, "/admin/users?page=\(page)&per_page=2")
        #expect(answer.fields[try #require(.init("x-total-count"))] == "5")
        let link = answer.fields[try #require(.init("Link"))] ?? ""
        #expect(link.contains("page=3&per_page=2>; rel=\"last\""))
        #expect(link.contains("rel=\"next\"") == (page < 3))
        found += answer["users"]?.arrayValue?.compactMap { $0["email"]?.stringValue } ?? []
      }
      #expect(found == (0..<5).reversed().map { "user\($0)@example.com" })
      let behind = try await backend.admin(.get, "/admin/users?page=9&per_page=2")
      #expect(behind["users"] == [])
      #expect(behind.fields[try #require(.init("x-total-count"))] == "5")
      let one = try await backend.admin(.get, "/admin/users?filter=USER3")
      #expect(one["users"]?.arrayValue?.count == 1)
      #expect(try await backend.admin(.get, "/admin/users?page=x").code == "validation_failed")
    }
  }

  @Test("Who is banned gets in no more, until the ban ends")
  func ban() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let path = "/admin/users/\(session.id)"
      #expect(try await backend.admin(.put, path, ["ban_duration": "soon"]).code == "validation_failed")
      #expect(try await backend.admin(.put, path, ["ban_duration": "24h"])["banned_until"] != nil)
      #expect(try await backend.refresh(session.refresh).code == "user_banned")
      #expect(try await backend.send(.get, "/user", token: session.access).code == "user_banned")
      let body: JSONValue = ["email": "ada@example.com", "password": .string(AuthBackend.password)]
      #expect(try await backend.post("/token?grant_type=password", body).code == "user_banned")
      _ = try await backend.post("/recover", ["email": "ada@example.com"])
      let code = try backend.message(to: "ada@example.com").token
      let verified = try await backend.post(
        "/verify", ["type": "recovery", "email": "ada@example.com", "token": .string(code)])
      #expect(verified.code == "user_banned")
      #expect(try await backend.admin(.put, path, ["ban_duration": "none"])["banned_until"] == nil)
      _ = try await backend.signIn("ada@example.com")
    }
  }

  @Test("A soft deletion leaves a row without the person, and the address is free again")
  func softDeletion() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      for _ in 0..<2 {
        let answer = try await backend.admin(.delete, "/admin/users/\(session.id)", ["should_soft_delete": true])
        #expect(answer.status == 200)
      }
      let row = try await backend.rows("select to_jsonb(u)::text from auth.users u")
      #expect(row.count == 1)
      #expect(!row[0].contains("ada@example.com"))
      #expect(try await backend.admin(.get, "/admin/users/\(session.id)")["deleted_at"] != nil)
      #expect(try await backend.send(.get, "/user", token: session.access).status == 403)
      #expect(try await backend.refresh(session.refresh).status == 400)
      let body: JSONValue = ["email": "ada@example.com", "password": .string(AuthBackend.password)]
      #expect(try await backend.post("/token?grant_type=password", body).code == "invalid_credentials")
      let second = try await backend.newSession("ada@example.com")
      #expect(second.id != session.id)
    }
  }

  @Test("Each kind of link is made, and does what it is for")
  func links() async throws {
    try await AuthBackend.with { backend async throws in
      func make(_ body: JSONValue) async throws -> AuthBackend.Answer {
        try await backend.admin(.post, "/admin/generate_link", body)
      }
      let target = "http://127.0.0.1:5/x"
      let signUp = try await make([
        "type": "signup", "email": "ada@example.com", "password": .string(AuthBackend.password),
        "redirect_to": .string(target),
      ])
      #expect(signUp.status == 200, "\(signUp.text)")
      #expect(signUp["email"] == "ada@example.com")
      #expect(signUp["redirect_to"] == .string(target))
      #expect(signUp["verification_type"] == "signup")
      let answer = try await backend.send(.get, try #require(signUp["action_link"]?.stringValue))
      #expect(answer.fields[.location]?.hasPrefix(target + "#access_token=") == true)
      for type in ["magiclink", "recovery"] {
        let link = try await make(["type": .string(type), "email": "ada@example.com"])
        let code = try #require(link["email_otp"]?.stringValue)
        _ = try backend.session(
          try await backend.post(
            "/verify", ["type": .string(type), "email": "ada@example.com", "token": .string(code)]))
      }
      let invite = try await make(["type": "invite", "email": "bob@example.com", "data": ["a": 1]])
      #expect(invite["invited_at"] != nil)
      #expect(invite["user_metadata"]?["a"] == 1)
      _ = try backend.session(
        try await backend.post(
          "/verify", ["type": "invite", "token_hash": try #require(invite["hashed_token"])]))
      for type in ["email_change_current", "email_change_new"] {
        let link = try await make([
          "type": .string(type), "email": "bob@example.com", "new_email": "rob@example.com",
        ])
        #expect(link.status == 200, "\(link.text)")
        #expect(link["verification_type"] == .string(type))
      }
      #expect(try await make(["type": "magiclink", "email": "eve@example.com"])["verification_type"] == "signup")
      #expect(try await make(["type": "recovery", "email": "nobody@example.com"]).code == "user_not_found")
      #expect(
        try await make(["type": "signup", "email": "ada@example.com", "password": "123456"]).code == "email_exists")
      #expect(try await make(["type": "nonsense", "email": "ada@example.com"]).code == "validation_failed")
      #expect(try await make(["type": "magiclink"]).code == "validation_failed")
      #expect(backend.backend.inbox.isEmpty)
    }
  }

  @Test("An invitation goes by mail, and is refused for who is here")
  func invitation() async throws {
    try await AuthBackend.with { backend async throws in
      let answer = try await backend.admin(.post, "/invite", ["email": "ada@example.com", "data": ["a": 1]])
      #expect(answer["invited_at"] != nil)
      #expect(answer["confirmation_sent_at"] != nil)
      let message = try backend.message(to: "ada@example.com", .invite)
      let session = try backend.session(
        try await backend.post("/verify", ["type": "invite", "token_hash": .string(message.tokenHash ?? "")]))
      #expect(session.user["email_confirmed_at"] != nil)
      let again = try await backend.admin(.post, "/invite", ["email": "ada@example.com"])
      #expect(again.status == 422)
      #expect(again.code == "email_exists")
    }
  }

  @Test("The audit log tells what was done, and is searched by who and what")
  func audit() async throws {
    try await AuthBackend.with { backend async throws in
      _ = try await backend.newSession("ada@example.com")
      _ = try await backend.newSession("bob@example.com")
      let all = try await backend.admin(.get, "/admin/audit")
      let actions = all.json.arrayValue?.compactMap { $0["payload"]?["action"]?.stringValue } ?? []
      #expect(actions.sorted() == ["login", "login", "user_signedup", "user_signedup"])
      let logins = try await backend.admin(.get, "/admin/audit?query=author:ada")
      #expect(logins.json.arrayValue?.count == 1)
      #expect(logins.json[0]?["payload"]?["actor_username"] == "ada@example.com")
      #expect(logins.json[0]?["ip_address"] == "127.0.0.1")
      #expect(try await backend.admin(.get, "/admin/audit?query=x").code == "validation_failed")
    }
  }

  @Test("What cannot be stored or would stall sign-ins is refused, and a ban of a hundred years is not")
  func limits() async throws {
    try await AuthBackend.with { backend async throws in
      let letters = String(repeating: "a", count: 53)
      let id = try await backend.createUser("ada@example.com")
      let bodies: [JSONValue] =
        [
          "$2a$16$\(letters)", "$2a$31$\(letters)", "$2a$03$\(letters)", "$2a$+9$\(letters)", "$2c$10$\(letters)",
          "$2a$10$\(letters.dropLast())", "$2a$10$\(letters)a", "$2a$10$\(letters.dropLast())!",
          "$2a$10$\(letters.dropLast())$",
        ].map { ["password_hash": .string($0)] }
        + ["900000h", "1000000000h", "99999999999999999999h", "h", "1d"].map { ["ban_duration": .string($0)] }
        + ["role", "aud"].map { [$0: .string(String(repeating: "é", count: 256))] }
      for (index, body) in bodies.enumerated() {
        var new = body
        new["email"] = .string("user\(index)@example.com")
        let made = try await backend.admin(.post, "/admin/users", new)
        #expect(made.status == 400, "\(body): \(made.text)")
        #expect(made.code == "validation_failed")
        let changed = try await backend.admin(.put, "/admin/users/\(id)", body)
        #expect(changed.status == 400, "\(body): \(changed.text)")
      }
      #expect(try await backend.rows("select count(*) from auth.users") == ["1"])
      let banned = try await backend.admin(.put, "/admin/users/\(id)", ["ban_duration": "876000h"])
      #expect(banned["banned_until"] != nil, "\(banned.text)")
      let good = try await backend.admin(
        .post, "/admin/users",
        [
          "email": "bob@example.com", "ban_duration": "876000h", "password_hash": .string("$2a$15$\(letters)"),
          "role": .string(String(repeating: "é", count: 255)),
        ])
      #expect(good.status == 200, "\(good.text)")
    }
  }

  @Test("An id is one user's")
  func sameID() async throws {
    try await AuthBackend.with { backend async throws in
      for (email, status) in [("ada@example.com", 200), ("bob@example.com", 422)] {
        let answer = try await backend.admin(
          .post, "/admin/users", ["id": "11111111-1111-4111-8111-111111111111", "email": .string(email)])
        #expect(answer.status == status, "\(answer.text)")
        #expect(status == 200 || answer.code == "user_already_exists")
      }
    }
  }
}

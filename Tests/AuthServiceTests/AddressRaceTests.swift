import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTP
import Testing

@Suite("Addresses that are changed and proven at once")
struct AddressRaceTests {
  /// Fails if an address counts as confirmed that its owner has not seen a code at.
  private func expectUnproven(_ backend: AuthBackend, _ address: String) async throws {
    let owners = try await backend.rows(
      "select id::text from auth.users where '\(address)' in (email, phone)"
        + " and (email_confirmed_at is not null or phone_confirmed_at is not null)")
    #expect(owners.isEmpty)
  }

  @Test("A code proves the number that it went to and no other, whatever the user changes at the same time")
  func phone() async throws {
    try await AuthBackend.with { backend async throws in
      for number in 0..<20 {
        let (own, other) = ("4917000\(100 + number)", "4917000\(500 + number)")
        let session = try await backend.newSession("u\(number)@example.com")
        _ = try await backend.send(.put, "/user", ["phone": .string(own)], token: session.access)
        let code = try backend.message(to: own).token
        async let verified = backend.post(
          "/verify", ["type": "phone_change", "phone": .string(own), "token": .string(code)])
        async let changed = backend.send(.put, "/user", ["phone": .string(other)], token: session.access)
        #expect(try await changed.status == 200)
        #expect([200, 403].contains(try await verified.status))
        try await expectUnproven(backend, other)
      }
    }
  }

  @Test("So does a code for an email address, of somebody without one and of somebody with one")
  func email() async throws {
    try await AuthBackend.with { backend async throws in
      for number in 0..<20 {
        let (own, other) = ("own\(number)@example.com", "other\(number)@example.com")
        let isAnonymous = number % 2 == 0
        let session =
          isAnonymous
          ? try backend.session(try await backend.post("/signup", [:]))
          : try await backend.newSession("u\(number)@example.com")
        _ = try await backend.send(.put, "/user", ["email": .string(own)], token: session.access)
        let code = try backend.message(to: own).token
        if !isAnonymous {
          // The old address has consented to that change already.
          let consent = try backend.message(to: "u\(number)@example.com").token
          _ = try await backend.post(
            "/verify",
            ["type": "email_change", "email": .string("u\(number)@example.com"), "token": .string(consent)])
        }
        async let verified = backend.post(
          "/verify", ["type": "email_change", "email": .string(own), "token": .string(code)])
        async let changed = backend.send(.put, "/user", ["email": .string(other)], token: session.access)
        #expect([200, 403].contains(try await verified.status))
        #expect(try await changed.status == 200)
        try await expectUnproven(backend, other)
      }
    }
  }

  @Test("Both halves of a change count, in any order and at once")
  func halves() async throws {
    try await AuthBackend.with { backend async throws in
      for number in 0..<10 {
        let (old, new) = ("old\(number)@example.com", "new\(number)@example.com")
        let session = try await backend.newSession(old)
        _ = try await backend.send(.put, "/user", ["email": .string(new)], token: session.access)
        let codes = [(old, try backend.message(to: old).token), (new, try backend.message(to: new).token)]
        let answers = try await withThrowingTaskGroup(of: AuthBackend.Answer.self) { group in
          for (address, code) in codes {
            group.addTask {
              try await backend.post(
                "/verify", ["type": "email_change", "email": .string(address), "token": .string(code)])
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
        #expect(answers.filter { $0["access_token"] != nil }.count == 1)
        #expect(try await backend.send(.get, "/user", token: session.access)["email"] == .string(new))
      }
    }
  }

  @Test("A code that went to an address is worth nothing once that is not the user's any more")
  func formerAddress() async throws {
    try await AuthBackend.with { backend async throws in
      let id = try await backend.createUser("old@example.com")
      _ = try await backend.post("/recover", ["email": "old@example.com"])
      let message = try backend.message(to: "old@example.com", .recovery)
      _ = try await backend.admin(
        .put, "/admin/users/\(id)", ["email": "new@example.com", "email_confirm": true])
      for body in [
        ["type": "recovery", "email": "old@example.com", "token": .string(message.token)],
        ["type": "recovery", "token_hash": .string(message.tokenHash ?? "")],
      ] as [JSONValue] {
        #expect(try await backend.post("/verify", body).code == "otp_expired")
      }
    }
  }

  @Test("No code outlives the password that it was sent under", arguments: [false, true])
  func formerPassword(byAdministrator: Bool) async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      _ = try await backend.send(.put, "/user", ["email": "new@example.com"], token: session.access)
      _ = try await backend.post("/recover", ["email": "ada@example.com"])
      let recovery = try backend.message(to: "ada@example.com", .recovery).token
      let change = try backend.message(to: "new@example.com", .emailChange).token
      let changed =
        byAdministrator
        ? try await backend.admin(.put, "/admin/users/\(session.id)", ["password": "another horse"])
        : try await backend.send(.put, "/user", ["password": "another horse"], token: session.access)
      #expect(changed.status == 200, "\(changed.text)")
      for body in [
        ["type": "recovery", "email": "ada@example.com", "token": .string(recovery)],
        ["type": "email_change", "email": "new@example.com", "token": .string(change)],
      ] as [JSONValue] {
        #expect(try await backend.post("/verify", body).code == "otp_expired")
      }
      #expect(try await backend.rows("select count(*) from auth.one_time_tokens") == ["0"])
    }
  }

  @Test("Those who sign in leave room for what is quick")
  func crowd() async throws {
    try await AuthBackend.with {
      $0.auth.passwordCost = 10
    } _: { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<40 {
          group.addTask {
            try await backend.post(
              "/token?grant_type=password", ["email": "ada@example.com", "password": "wrong"]
            ).status
          }
        }
        // The first has ended, and many others are under way.
        #expect(try await group.next() == 400)
        let user = try await backend.send(.get, "/user", token: session.access)
        #expect(user.status == 200)
        let refreshed = try await backend.refresh(session.refresh)
        #expect(refreshed.status == 200)
        for try await status in group { #expect(status == 400) }
      }
    }
  }
}

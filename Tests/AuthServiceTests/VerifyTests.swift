import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTP
import Testing

@Suite("Codes and links")
struct VerifyTests {
  private let target = "http://127.0.0.1:3000/welcome"
  private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  private let challenge: [String: JSONValue] = [
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "s256",
  ]

  private func flow(_ members: [String: JSONValue]) -> JSONValue {
    .object(challenge.merging(members) { _, given in given })
  }

  @Test("A link leads to the application with a session behind #, once")
  func link() async throws {
    try await AuthBackend.with { backend async throws in
      _ = try await backend.post(
        "/signup?redirect_to=\(target)", ["email": "ada@example.com", "password": .string(AuthBackend.password)])
      let link = try #require(try backend.message(to: "ada@example.com").link)
      // A program that looks what is behind links does not use them up.
      #expect(try await backend.send(.head, link).status == 405)
      let answer = try await backend.send(.get, link)
      #expect(answer.status == 303)
      let location = try #require(answer.fields[.location])
      #expect(location.hasPrefix(target + "#"))
      #expect(answer.parameter("type", behind: "#") == "signup")
      #expect(answer.parameter("token_type", behind: "#") == "bearer")
      #expect(answer.parameter("expires_in", behind: "#") == "3600")
      let token = try #require(answer.parameter("access_token", behind: "#"))
      #expect(try await backend.send(.get, "/user", token: token)["email"] == "ada@example.com")
      let refresh = try #require(answer.parameter("refresh_token", behind: "#"))
      #expect(try await backend.refresh(refresh).status == 200)
      let again = try await backend.send(.get, link)
      #expect(again.status == 303)
      #expect(again.parameter("error_code", behind: "#") == "otp_expired")
      #expect(again.parameter("error", behind: "#") == "access_denied")
    }
  }

  @Test("Links lead to the application, whatever the request or the link says")
  func strangersRedirect() async throws {
    try await AuthBackend.with { backend async throws in
      _ = try await backend.post("/otp?redirect_to=https://evil.example", ["email": "ada@example.com"])
      let link = try #require(try backend.message(to: "ada@example.com").link)
      #expect(!link.contains("evil"))
      let twisted = link.split(separator: "&").dropLast().joined(separator: "&") + "&redirect_to=https://evil.example"
      let answer = try await backend.send(.get, twisted)
      #expect(answer.fields[.location]?.hasPrefix("http://127.0.0.1:3000#access_token=") == true)
    }
  }

  @Test("A link of a PKCE flow leads to a code, which only the verifier's owner redeems, once")
  func pkce() async throws {
    try await AuthBackend.with { backend async throws in
      try await backend.createUser("ada@example.com")
      for (path, kind) in [("/recover", AuthMessage.Kind.recovery), ("/otp", .magicLink)] {
        #expect(try await backend.post(path, flow(["email": "ada@example.com"])).status == 200)
        let message = try backend.message(to: "ada@example.com", kind)
        #expect(message.tokenHash?.hasPrefix("pkce_") == true)
        let answer = try await backend.send(.get, try #require(message.link))
        let code = try #require(answer.parameter("code", behind: "?"), "\(answer.fields)")
        #expect(answer.fields[.location]?.contains("access_token") == false)
        func redeem(_ verifier: String) async throws -> AuthBackend.Answer {
          try await backend.post(
            "/token?grant_type=pkce", ["auth_code": .string(code), "code_verifier": .string(verifier)])
        }
        #expect(try await redeem(verifier + "x").code == "bad_code_verifier")
        let session = try backend.session(try await redeem(verifier))
        #expect(session.claims["amr"]?[0]?["method"] == .string(kind.rawValue))
        let again = try await redeem(verifier)
        #expect(again.status == 404)
        #expect(again.code == "flow_state_not_found")
      }
      // The code of such a mail signs in as well.
      _ = try await backend.post("/otp", flow(["email": "ada@example.com"]))
      let code = try backend.message(to: "ada@example.com").token
      _ = try backend.session(
        try await backend.post("/verify", ["type": "email", "email": "ada@example.com", "token": .string(code)]))
      // A code that has lain about is none.
      _ = try await backend.post("/otp", flow(["email": "ada@example.com"]))
      let late = try await backend.send(.get, try #require(try backend.message(to: "ada@example.com").link))
      try await backend.backend.execute(
        "update auth.flow_state set auth_code_issued_at = auth_code_issued_at - interval '6 minutes'")
      let expired = try await backend.post(
        "/token?grant_type=pkce",
        ["auth_code": .string(late.parameter("code", behind: "?") ?? ""), "code_verifier": .string(verifier)])
      #expect(expired.code == "flow_state_expired")
    }
  }

  @Test("Codes and links are good for an hour, text messages for a minute")
  func expiry() async throws {
    try await AuthBackend.with { backend async throws in
      func make(_ body: JSONValue, to recipient: String, older interval: String) async throws -> AuthMessage {
        #expect(try await backend.post("/otp", body).status == 200)
        try await backend.backend.execute(
          "update auth.one_time_tokens set created_at = created_at - interval '\(interval)'")
        return try backend.message(to: recipient)
      }
      let good = try await make(["email": "a@example.com"], to: "a@example.com", older: "59 minutes")
      _ = try backend.session(
        try await backend.post("/verify", ["type": "email", "email": "a@example.com", "token": .string(good.token)]))
      let late = try await make(["email": "b@example.com"], to: "b@example.com", older: "61 minutes")
      let answers = [
        try await backend.post("/verify", ["type": "email", "email": "b@example.com", "token": .string(late.token)]),
        try await backend.post("/verify", ["type": "email", "token_hash": .string(late.tokenHash ?? "")]),
      ]
      for answer in answers {
        #expect(answer.status == 403)
        #expect(answer.code == "otp_expired")
      }
      let link = try await backend.send(.get, try #require(late.link))
      #expect(link.parameter("error_code", behind: "#") == "otp_expired")
      let text = try await make(["phone": "491701"], to: "491701", older: "61 seconds")
      let answer = try await backend.post("/verify", ["type": "sms", "phone": "491701", "token": .string(text.token)])
      #expect(answer.code == "otp_expired")
    }
  }

  @Test("A code is for one address and one purpose, the newest counts, and two who use it at once get one session")
  func misuse() async throws {
    try await AuthBackend.with { backend async throws in
      try await backend.createUser("ada@example.com")
      try await backend.createUser("bob@example.com")
      _ = try await backend.post("/recover", ["email": "ada@example.com"])
      let old = try backend.message(to: "ada@example.com")
      _ = try await backend.post("/recover", ["email": "ada@example.com"])
      let new = try backend.message(to: "ada@example.com")
      func verify(_ type: String, _ email: String, _ code: String) async throws -> AuthBackend.Answer {
        try await backend.post("/verify", ["type": .string(type), "email": .string(email), "token": .string(code)])
      }
      if old.token != new.token {
        #expect(try await verify("recovery", "ada@example.com", old.token).code == "otp_expired")
      }
      #expect(try await verify("recovery", "bob@example.com", new.token).code == "otp_expired")
      #expect(try await verify("signup", "ada@example.com", new.token).code == "otp_expired")
      #expect(try await verify("email_change", "ada@example.com", new.token).code == "otp_expired")
      #expect(try await verify("nonsense", "ada@example.com", new.token).code == "validation_failed")
      #expect(try await verify("sms", "ada@example.com", new.token).code == "validation_failed")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<10 { group.addTask { try await verify("recovery", "ada@example.com", new.token).status } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [200] + Array(repeating: 403, count: 9))
      #expect(try await backend.rows("select count(*) from auth.sessions") == ["1"])
    }
  }

  @Test("What stands in the database opens nothing")
  func leak() async throws {
    try await AuthBackend.with { backend async throws in
      _ = try await backend.post("/otp", ["email": "ada@example.com"])
      let message = try backend.message(to: "ada@example.com")
      let stored =
        try await backend.rows("select token_hash from auth.one_time_tokens")
        + backend.rows("select confirmation_token from auth.users")
      #expect(stored.count == 2)
      for text in stored {
        #expect(text != message.token)
        #expect(text != message.tokenHash)
        let answer = try await backend.post("/verify", ["type": "email", "token_hash": .string(text)])
        #expect(answer.code == "otp_expired")
      }
      _ = try backend.session(
        try await backend.post("/verify", ["type": "email", "token_hash": .string(message.tokenHash ?? "")]))
    }
  }

  @Test("An address changes when both have consented, in either order")
  func emailChange() async throws {
    for newFirst in [true, false] {
      try await AuthBackend.with { backend async throws in
        let session = try await backend.newSession("ada@example.com")
        try await backend.createUser("bob@example.com")
        let taken = try await backend.send(.put, "/user", ["email": "bob@example.com"], token: session.access)
        #expect(taken.code == "email_exists")
        let asked = try await backend.send(.put, "/user", ["email": "lady@example.com"], token: session.access)
        #expect(asked["new_email"] == "lady@example.com")
        #expect(asked["email"] == "ada@example.com")
        let halves = [
          try backend.message(to: "lady@example.com", .emailChange),
          try backend.message(to: "ada@example.com", .emailChange),
        ]
        let (first, second) = newFirst ? (halves[0], halves[1]) : (halves[1], halves[0])
        func verify(_ message: AuthMessage) async throws -> AuthBackend.Answer {
          try await backend.post(
            "/verify",
            ["type": "email_change", "email": .string(message.recipient), "token": .string(message.token)])
        }
        let half = try await verify(first)
        #expect(half.status == 200)
        #expect(half["code"] == "200")
        #expect(half["msg"]?.stringValue?.hasPrefix("Confirmation link accepted") == true)
        #expect(try await verify(first).code == "otp_expired")
        #expect(try await backend.send(.get, "/user", token: session.access)["email"] == "ada@example.com")
        let changed = try backend.session(try await verify(second))
        #expect(changed.user["email"] == "lady@example.com")
        #expect(changed.user["new_email"] == nil)
        #expect(changed.user["identities"]?[0]?["email"] == "lady@example.com")
        _ = try await backend.signIn("lady@example.com")
      }
    }
    try await AuthBackend.with {
      $0.auth.needsBothAddressesForChange = false
    } _: { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      _ = try await backend.send(.put, "/user", ["email": "lady@example.com"], token: session.access)
      #expect(backend.backend.inbox.map(\.recipient) == ["lady@example.com"])
      let answer = try await backend.send(.get, try #require(try backend.message(to: "lady@example.com").link))
      #expect(answer.parameter("type", behind: "#") == "email_change")
      #expect(try await backend.rows("select email from auth.users") == ["lady@example.com"])
    }
  }

  @Test("Mails come again, but not at once where that is limited, and not to who needs none")
  func resend() async throws {
    try await AuthBackend.with { backend async throws in
      _ = try await backend.post(
        "/signup", ["email": "ada@example.com", "password": .string(AuthBackend.password)])
      _ = try await backend.post("/resend", ["type": "signup", "email": "ada@example.com"])
      #expect(backend.backend.inbox.count == 2)
      try await backend.createUser("bob@example.com")
      for email in ["bob@example.com", "nobody@example.com"] {
        let answer = try await backend.post("/resend", ["type": "signup", "email": .string(email)])
        #expect(answer.json == [:])
      }
      #expect(try await backend.post("/recover", ["email": "nobody@example.com"]).json == [:])
      #expect(backend.backend.inbox.count == 2)
      for body: JSONValue in [["type": "signup"], ["email": "a@b.example"], ["type": "sms", "email": "a@b.example"]] {
        #expect(try await backend.post("/resend", body).code == "validation_failed")
      }
    }
    try await AuthBackend.with {
      $0.auth.rateLimits.isEnabled = true
      $0.auth.rateLimits.emailsSent = 2
    } _: { backend async throws in
      let body: JSONValue = ["email": "ada@example.com", "password": .string(AuthBackend.password)]
      #expect(try await backend.post("/signup", body).status == 200)
      let soon = try await backend.post("/resend", ["type": "signup", "email": "ada@example.com"])
      #expect(soon.status == 429)
      #expect(soon.code == "over_email_send_rate_limit")
      #expect(soon["msg"]?.stringValue?.hasPrefix("For security purposes, you can only request this after ") == true)
      #expect(soon.fields[.retryAfter] != nil)
      #expect(try await backend.post("/otp", ["email": "bob@example.com"]).status == 200)
      let many = try await backend.post("/otp", ["email": "eve@example.com"])
      #expect(many.status == 429)
      #expect(many.code == "over_email_send_rate_limit")
    }
  }

  @Test("Attempts are limited where limits are wanted")
  func attempts() async throws {
    try await AuthBackend.with {
      $0.auth.rateLimits.isEnabled = true
      $0.auth.rateLimits.verifications = 3
      $0.auth.rateLimits.signIns = 3
    } _: { backend async throws in
      for (path, body, usual) in [
        ("/verify", ["type": "email", "email": "a@b.example", "token": "123456"] as JSONValue, 403),
        ("/token?grant_type=password", ["email": "a@b.example", "password": "x"], 400),
      ] {
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await backend.post(path, body).status) }
        #expect(statuses == [usual, usual, usual, 429])
        #expect(try await backend.post(path, body).code == "over_request_rate_limit")
      }
    }
  }

  @Test("Where nothing sends mails, a request for one fails and says so")
  func noDelivery() async throws {
    try await AuthBackend.with {
      $0.isDevelopment = false
      $0.auth.rateLimits.isEnabled = false
    } _: { backend async throws in
      let answer = try await backend.post("/otp", ["email": "ada@example.com"])
      #expect(answer.status == 500)
      #expect(answer["msg"]?.stringValue?.contains("no way to send mails") == true)
      #expect(backend.backend.inboxURL == nil)
      let inbox = try await backend.send(.get, backend.backend.url.absoluteString + "/inbox")
      #expect(inbox.status == 404)
    }
  }

  private actor Courier: MessageDelivery {
    private(set) var messages: [AuthMessage] = []
    private var fails = false
    struct Lost: Error {}

    func fail() { fails = true }

    func deliver(_ message: AuthMessage) throws {
      if fails { throw Lost() }
      messages.append(message)
    }
  }

  @Test("A program's own delivery takes the messages, and its failure is the request's")
  func ownDelivery() async throws {
    let courier = Courier()
    try await AuthBackend.with {
      $0.messageDelivery = courier
    } _: { backend async throws in
      #expect(try await backend.post("/otp", ["email": "ada@example.com"]).status == 200)
      #expect(await courier.messages.map(\.recipient) == ["ada@example.com"])
      #expect(backend.backend.inbox.isEmpty)
      await courier.fail()
      #expect(try await backend.post("/otp", ["email": "ada@example.com"]).status == 500)
      #expect(try await backend.post("/otp", ["phone": "491701"]).code == "sms_send_failed")
    }
  }

  @Test("The inbox is a list, newest first, that can be emptied")
  func inbox() async throws {
    try await AuthBackend.with { backend async throws in
      _ = try await backend.post("/otp", ["email": "ada@example.com"])
      _ = try await backend.post("/otp", ["phone": "491701"])
      let url = try #require(backend.backend.inboxURL).absoluteString
      let list = try await backend.send(.get, url)
      #expect(list.status == 200)
      #expect(list.json.arrayValue?.map { $0["recipient"] } == ["491701", "ada@example.com"])
      #expect(list.json[1]?["kind"] == "signup")
      #expect(list.json[1]?["link"]?.stringValue?.contains("/verify?token=") == true)
      #expect(list.json[0]?["token"]?.stringValue?.utf8.count == 6)
      #expect(try await backend.send(.post, url, [:]).status == 405)
      #expect(try await backend.send(.delete, url).status == 204)
      #expect(try await backend.send(.get, url).json == [])
      #expect(try await backend.send(.get, url, nil, [.host: "evil.example"]).status == 403)
    }
  }

  @Test("A link of a PKCE flow whose type was changed fails, and is good afterwards")
  func changedType() async throws {
    try await AuthBackend.with { backend async throws in
      try await backend.createUser("ada@example.com")
      _ = try await backend.post("/otp", flow(["email": "ada@example.com"]))
      let link = try #require(try backend.message(to: "ada@example.com", .magicLink).link)
      for type in ["email", "recovery"] {
        let answer = try await backend.send(.get, link.replacing("type=magiclink", with: "type=\(type)"))
        #expect(answer.parameter("error_code", behind: "?") == "flow_state_not_found", "\(type)")
      }
      #expect(try await backend.send(.get, link).parameter("code", behind: "?") != nil)
    }
  }
}

import FoundationEssentials
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterHTTP
import SwiftwaterPostgres
import SwiftwaterStreams
import SwiftwaterTokens
import TestSupport
import Testing

@testable import SupabaseServices

@Suite("Bad input and faults")
struct HostileTests {
  @Test(
    "What is no JSON, of the wrong type, too large or cannot be stored is refused by every endpoint, and none fails")
  func bodies() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let bodies: [(text: String, statuses: Set<Int>)] = [
        ("{", [400]), ("[]", [400]), ("null", [400]), ("\"x\"", [400]), ("\u{FEFF}{", [400]),
        (
          #"{"email":5,"phone":{},"password":[],"refresh_token":1,"type":[],"factor_type":{},"should_soft_delete":"x"}"#,
          [400]
        ),
        (
          #"{"email":"a\#\u{0}0000b@c.example","password":"x\#\u{0}0000yzzzz"}"#.replacing("\u{0}", with: "u"),
          [400, 401, 403, 404, 422]
        ),
        (
          #"{"email":"\#(String(repeating: "a", count: 1_000_000))@b.example","password":"123456"}"#,
          [400, 404, 422, 403]
        ),
        (
          #"{"email":"a@b.example","password":"123456","data":{"x":"\#(String(repeating: "a", count: 1_100_000))"}}"#,
          [413]
        ),
        (String(repeating: "[", count: 100_000), [400]),
      ]
      for path in [
        "/signup", "/token?grant_type=password", "/token?grant_type=refresh_token", "/token?grant_type=pkce",
        "/token?grant_type=id_token", "/otp", "/magiclink", "/verify", "/resend", "/recover",
      ] {
        for (text, statuses) in bodies {
          let answer = try await backend.send(.post, path, text: text)
          #expect(
            statuses.contains(answer.status), "\(path) \(text.prefix(60)): \(answer.status) \(answer.text.prefix(200))")
          #expect(answer.code != nil)
        }
      }
      for (method, path) in [
        (HTTPRequest.Method.put, "/user"), (.post, "/factors"), (.post, "/factors/\(session.id)/verify"),
      ] {
        for (text, _) in bodies {
          let answer = try await backend.send(method, path, text: text, token: session.access)
          #expect((400..<500).contains(answer.status), "\(path): \(answer.status) \(answer.text.prefix(200))")
        }
      }
      for (method, path) in [
        (HTTPRequest.Method.post, "/admin/users"), (.put, "/admin/users/\(session.id)"), (.post, "/invite"),
        (.post, "/admin/generate_link"),
      ] {
        for (text, _) in bodies {
          let answer = try await backend.send(method, path, text: text, token: backend.backend.serviceRoleKey)
          #expect((400..<500).contains(answer.status), "\(path): \(answer.status) \(answer.text.prefix(200))")
        }
      }
      for grant in ["", "?grant_type=", "?grant_type=magic", "?grant_type=%ff", "?grant_type=web3"] {
        let answer = try await backend.post("/token\(grant)", [:])
        #expect([400, 422].contains(answer.status), "\(grant)")
      }
      _ = try await backend.signIn("ada@example.com")
    }
  }

  @Test("Texts that mean something to SQL or JSON are only texts")
  func injection() async throws {
    try await AuthBackend.with { backend async throws in
      let texts = ["'; drop table auth.users; --", #"\"}{"#, "{a,\"b\"}", "%00", "${x}", "a\\'b", "\u{1F600}é", "NULL"]
      let session = try await backend.newSession("ada@example.com")
      for text in texts {
        let answer = try await backend.send(.put, "/user", ["data": [text: .string(text)]], token: session.access)
        #expect(answer["user_metadata"]?[text] == .string(text))
        #expect(
          try await backend.send(.put, "/user", ["data": [text: nil]], token: session.access)["user_metadata"]?[text]
            == nil)
        #expect(try await backend.admin(.get, "/admin/users?filter=\(text.percentEncodedForQuery)").status == 200)
        #expect(
          try await backend.admin(.get, "/admin/audit?query=author:\(text.percentEncodedForQuery)").status == 200)
      }
      #expect(try await backend.rows("select count(*) from auth.users") == ["1"])
    }
  }

  @Test("Every endpoint asks for the token it needs, and believes no forged one")
  func access() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let secret = LocalBackend.Configuration.developmentSecret
      let claims = #"{"role":"service_role","sub":"\#(session.id)"}"#
      func base64URL(_ text: String) -> String { Base64URL.encode(text.utf8) }
      let signed = JSONWebToken.sign(claims: claims, secret: secret).split(separator: ".")
      let forged = [
        "x", "a.b.c", base64URL(#"{"alg":"none"}"#) + "." + base64URL(claims) + ".",
        JSONWebToken.sign(claims: claims, secret: String(secret.reversed())),
        try ES256PrivateKey().sign(claims: claims),
        JSONWebToken.sign(claims: #"{"role":"service_role","exp":1}"#, secret: secret),
        "\(signed[0]).\(base64URL(#"{"role":"supabase_admin"}"#)).\(signed[2])",
      ]
      let endpoints = AuthEndpoints(
        configuration: .init(),
        database: AuthDatabase(
          pool: try PostgresPool(backend.backend.databaseConnection),
          passwordPool: try PostgresPool(backend.backend.databaseConnection)),
        tokens: AuthTokens(secret: secret, keys: try JWTKeySet(secret)), delivery: nil, transport: nil,
        limiter: RateLimiter(RateLimits(), isEnabled: false), address: LockIsolated("")
      ).all
      // What nobody needs a token for. Whoever adds an endpoint says here that it is open.
      let open: Set<String> = [
        "/health", "/settings", "/.well-known/jwks.json", "/signup", "/token", "/otp", "/magiclink", "/recover",
        "/resend", "/verify", "/authorize", "/callback", "/sso", "/sso/saml/metadata", "/sso/saml/acs",
      ]
      #expect(endpoints.count > 40)
      for endpoint in endpoints where !open.contains(endpoint.path) {
        let path = endpoint.path.replacing("{user_id}", with: session.id).replacing("{factor_id}", with: session.id)
          .replacing("{identity_id}", with: session.id)
        let body: JSONValue? = [.post, .put].contains(endpoint.method) ? [:] : nil
        let without = try await backend.send(endpoint.method, path, body)
        #expect(without.status == 401, "\(path)")
        #expect(without.code == "no_authorization", "\(path)")
        for token in forged {
          let answer = try await backend.send(endpoint.method, path, body, token: token)
          #expect(answer.status == 403 && answer.code == "bad_jwt", "\(path): \(answer.text)")
        }
        for token in endpoint.isForAdministrators
          ? [session.access, backend.backend.anonKey] : [backend.backend.anonKey]
        {
          let answer = try await backend.send(endpoint.method, path, body, token: token)
          #expect(answer.code == (endpoint.isForAdministrators ? "not_admin" : "bad_jwt"), "\(path): \(answer.text)")
        }
        // A page of a stranger's, in the developer's browser.
        let page = try await backend.send(
          endpoint.method, path, body, token: backend.backend.serviceRoleKey,
          [try #require(.init("Origin")): "https://evil.example"])
        #expect(page.status == 403 && page.code == nil, "\(path)")
      }
      #expect(try await backend.send(.get, "/user", token: session.access).status == 200)
    }
  }

  @Test("A user's token with another's session is nobody's")
  func mixedToken() async throws {
    try await AuthBackend.with { backend async throws in
      let (ada, eve) = (
        try await backend.newSession("ada@example.com"), try await backend.newSession("eve@example.com")
      )
      for session in [eve.claims["session_id"], "x", "", nil] {
        var claims = ada.claims
        claims["session_id"] = session
        let token = JSONWebToken.sign(
          claims: claims.description, secret: LocalBackend.Configuration.developmentSecret)
        #expect(try await backend.send(.get, "/user", token: token).status == 403)
      }
    }
  }

  @Test("While the database is away the answer is 503, and afterwards everything goes on")
  func databaseGone() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let name = try await backend.rows("select current_database()")[0]
      let administration = try PostgresPool(try await SharedCluster.shared.connectionString())
      try await administration.executeScript("alter database \(name) allow_connections false")
      _ = try await administration.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = \(name)")
      let isRefused = try await eventually {
        let answer = try await backend.send(.get, "/user", token: session.access)
        guard answer.status == 503 else { return false }
        #expect(answer["msg"] == "The database does not answer. Try again later.")
        #expect(answer.fields[.retryAfter] == "1")
        return true
      }
      #expect(isRefused)
      try await administration.executeScript("alter database \(name) allow_connections true")
      #expect(try await eventually { try await backend.refresh(session.refresh).status == 200 })
      await administration.close()
    }
  }

  @Test("In a database that was not prepared the answer says what to do")
  func unprepared() async throws {
    try await AuthBackend.with {
      $0.preparesDatabase = false
    } _: { backend async throws in
      let answer = try await backend.admin(.get, "/admin/users")
      #expect(answer.status == 500)
      #expect(answer["msg"]?.stringValue?.contains("--prepare") == true)
      #expect(try await backend.send(.get, "/health").status == 200)
    }
  }

  @Test("Passwords, tokens and codes reach no log, whatever goes wrong")
  func logs() async throws {
    let folder = "/tmp/swiftwater-test-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var configuration = LocalBackend.Configuration(storage: .folder(folder))
    configuration.auth.passwordCost = 4
    try await LocalBackend.with(configuration) { running async throws in
      let backend = AuthBackend(backend: running)
      try await running.execute(
        """
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
        create table marks (id int);
        """)
      let session = try await backend.newSession("ada@example.com")
      _ = try await backend.refresh(session.refresh)
      _ = try await backend.post("/otp", ["email": "ada@example.com"])
      _ = try await backend.post("/otp", ["email": "bob@example.com"])
      let messages = running.inbox
      // Statements that PostgreSQL itself complains of.
      try await running.execute(
        """
        create trigger refuse before insert or update on auth.users for each row execute function refuse();
        create trigger refuse before insert or update on auth.one_time_tokens for each row execute function refuse();
        create trigger refuse before insert or update on auth.refresh_tokens for each row execute function refuse();
        """)
      _ = try await backend.post("/signup", ["email": "eve@example.com", "password": "a very secret word"])
      _ = try await backend.send(.put, "/user", ["password": "a very secret word"], token: session.access)
      _ = try await backend.refresh(session.refresh)
      _ = try await backend.post(
        "/verify", ["type": "email", "token_hash": .string(messages.first?.tokenHash ?? "")])
      let log = try #require(FileManager.default.contents(atPath: "\(folder)/server.log"))
      let text = String(decoding: log, as: UTF8.self)
      // The statements are there, so the values would be.
      #expect(text.contains("refused"))
      var secrets = [AuthBackend.password, "a very secret word", session.access, session.refresh]
      for message in messages { secrets += [message.token, message.tokenHash ?? "-"].filter { $0 != "-" } }
      for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    }
  }
}

import FoundationEssentials
import SwiftwaterBackend
import SwiftwaterHTTP
import Testing

@testable import SupabaseServices

@Suite("Sign-in by an OpenID provider")
struct ProviderTests {
  private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  private let challenge = "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=s256"

  private func with(_ body: (AuthBackend, OpenIDServer) async throws -> Void) async throws {
    try await OpenIDServer.with { server async throws in
      let provider = OpenIDProvider(
        issuer: await server.issuer, clientID: OpenIDServer.clientID, clientSecret: OpenIDServer.secret)
      try await AuthBackend.with {
        $0.auth.providers = ["acme": provider]
      } _: { backend async throws in
        try await body(backend, server)
      }
    }
  }

  /// Sends the browser to the provider and back.
  private func visit(_ backend: AuthBackend, _ server: OpenIDServer, query: String = "") async throws
    -> AuthBackend.Answer
  {
    let begun = try await backend.send(.get, "/authorize?provider=acme&\(query)")
    #expect(begun.status == 302)
    let back = try await server.consent(to: try #require(begun.fields[.location]))
    return try await backend.send(.get, back)
  }

  @Test("A new user comes back with a session behind #, or with a code, and is the same the next time")
  func signIn() async throws {
    try await with { backend, server async throws in
      let implicit = try await visit(backend, server, query: "redirect_to=http://127.0.0.1:7/x&scopes=calendar")
      #expect(implicit.status == 302)
      #expect(implicit.fields[.location]?.hasPrefix("http://127.0.0.1:7/x#") == true, "\(implicit.fields)")
      #expect(implicit.parameter("provider_token", behind: "#") == "acme access")
      #expect(implicit.parameter("provider_refresh_token", behind: "#") == "acme refresh")
      let token = try #require(implicit.parameter("access_token", behind: "#"))
      let user = try await backend.send(.get, "/user", token: token)
      #expect(user["email"] == "ada@example.com")
      #expect(user["app_metadata"] == ["provider": "acme", "providers": ["acme"]])
      #expect(user["identities"]?[0]?["id"] == "acme-1")
      #expect(user["email_confirmed_at"] != nil)

      let flow = try await visit(backend, server, query: challenge)
      let code = try #require(flow.parameter("code", behind: "?"))
      #expect(flow.fields[.location]?.contains("token") == false)
      let session = try backend.session(
        try await backend.post(
          "/token?grant_type=pkce", ["auth_code": .string(code), "code_verifier": .string(verifier)]))
      #expect(session.user["id"] == user["id"])
      #expect(session.claims["amr"]?[0]?["method"] == "oauth")
      #expect(try await backend.rows("select count(*) from auth.users") == ["1"])
      #expect(try await backend.send(.get, "/settings")["external"]?["acme"] == true)
    }
  }

  @Test("A state that nobody has, that is old or was used, and a nonce of another sign-in lead to an error")
  func forgery() async throws {
    try await with { backend, server async throws in
      for state in ["", "x", "00000000-0000-4000-8000-000000000000"] {
        let answer = try await backend.send(.get, "/callback?code=x&state=\(state)")
        #expect(answer.parameter("error_code", behind: "?") == "bad_oauth_state")
      }
      let first = try #require(try await backend.send(.get, "/authorize?provider=acme").fields[.location])
      let second = try #require(try await backend.send(.get, "/authorize?provider=acme").fields[.location])
      // The code of one sign-in with the state of another.
      let backs = (try await server.consent(to: first), try await server.consent(to: second))
      let state = try #require(backs.1.split(separator: "&").last)
      let crossed = backs.0.split(separator: "&").dropLast().joined() + "&\(state)"
      let answer = try await backend.send(.get, crossed)
      #expect(answer.parameter("error_code", behind: "?") == "bad_oauth_callback")
      let denied = try await backend.send(.get, "/callback?\(state)&error=access_denied&error_description=No%20thanks")
      #expect(denied.parameter("error_description", behind: "?") == "No thanks")
      #expect(try await backend.send(.get, backs.1).parameter("access_token", behind: "#") != nil)
      let again = try await backend.send(.get, backs.1)
      #expect(again.parameter("error_code", behind: "?") == "bad_oauth_state")
      let late = try await server.consent(
        to: try #require(try await backend.send(.get, "/authorize?provider=acme").fields[.location]))
      try await backend.backend.execute("update auth.flow_state set created_at = now() - interval '6 minutes'")
      #expect(try await backend.send(.get, late).parameter("error_code", behind: "?") == "bad_oauth_state")
      #expect(try await backend.send(.get, "/authorize?provider=nobody").code == "validation_failed")
      await server.breakDown()
      let broken = try await visit(backend, server)
      #expect(broken.parameter("error_code", behind: "?") == "unexpected_failure")
      #expect(try await backend.rows("select count(*) from auth.users") == ["1"])
    }
  }

  @Test("A proven address leads to the user who has it; an unproven one does not")
  func addresses() async throws {
    try await with { backend, server async throws in
      let id = try await backend.createUser("ada@example.com")
      await server.set("email_verified", false)
      let refused = try await visit(backend, server)
      #expect(refused.parameter("error_code", behind: "?") == "provider_email_needs_verification")
      await server.set("email_verified", true)
      let answer = try await visit(backend, server)
      let token = try #require(answer.parameter("access_token", behind: "#"))
      let user = try await backend.send(.get, "/user", token: token)
      #expect(user["id"] == .string(id))
      #expect(user["app_metadata"]?["providers"] == ["email", "acme"])
      _ = try await backend.signIn("ada@example.com")
    }
  }

  @Test("Who has taken an address that is not theirs loses it to the one who proves it")
  func takeOver() async throws {
    try await with { backend, server async throws in
      _ = try await backend.post("/signup", ["email": "ada@example.com", "password": "the thief's"])
      let answer = try await visit(backend, server)
      let token = try #require(answer.parameter("access_token", behind: "#"))
      let user = try await backend.send(.get, "/user", token: token)
      #expect(user["identities"]?.arrayValue?.map { $0["provider"] } == ["acme"])
      let thief: JSONValue = ["email": "ada@example.com", "password": "the thief's"]
      #expect(try await backend.post("/token?grant_type=password", thief).code == "invalid_credentials")
    }
  }

  @Test("An identity is linked and unlinked, but not the last one, and not somebody else's")
  func linking() async throws {
    try await with { backend, server async throws in
      await server.set("email", "other@example.com")
      let session = try await backend.newSession("ada@example.com")
      func link(_ session: AuthBackend.Session) async throws -> AuthBackend.Answer {
        let begun = try await backend.send(
          .get, "/user/identities/authorize?provider=acme&skip_http_redirect=true", token: session.access)
        return try await backend.send(.get, try await server.consent(to: try #require(begun["url"]?.stringValue)))
      }
      #expect(try await link(session).parameter("access_token", behind: "#") != nil)
      let user = try await backend.send(.get, "/user", token: session.access)
      #expect(user["email"] == "ada@example.com")
      #expect(user["identities"]?.arrayValue?.count == 2)
      let eve = try await backend.newSession("eve@example.com")
      #expect(try await link(eve).parameter("error_code", behind: "?") == "identity_already_exists")
      let identity = try #require(
        user["identities"]?.arrayValue?.first { $0["provider"] == "acme" }?["identity_id"]?.stringValue)
      func unlink(_ id: String, _ session: AuthBackend.Session) async throws -> AuthBackend.Answer {
        try await backend.send(.delete, "/user/identities/\(id)", token: session.access)
      }
      #expect(try await unlink(identity, eve).code == "identity_not_found")
      #expect(try await unlink(identity, session).status == 200)
      let left = try await backend.send(.get, "/user", token: session.access)
      #expect(left["app_metadata"]?["providers"] == ["email"])
      let last = try #require(left["identities"]?[0]?["identity_id"]?.stringValue)
      #expect(try await unlink(last, session).code == "single_identity_not_deletable")
    }
  }

  @Test("An ID token of the provider's own kit signs in; one for others, of others or by another key does not")
  func idTokens() async throws {
    try await with { backend, server async throws in
      func signIn(_ token: String, nonce: String? = nil) async throws -> AuthBackend.Answer {
        var body: JSONValue = ["provider": "acme", "id_token": .string(token)]
        if let nonce { body["nonce"] = .string(nonce) }
        return try await backend.post("/token?grant_type=id_token", body)
      }
      let nonce = "a nonce"
      let good = try await server.idToken(nonce: Secrets.hash(nonce))
      let session = try backend.session(try await signIn(good, nonce: nonce))
      #expect(session.user["email"] == "ada@example.com")
      #expect(try await signIn(good).status == 400)
      #expect(try await signIn(good, nonce: "another").status == 400)
      #expect(try await signIn(try await server.idToken(nonce: nil)).status == 200)
      #expect(try await signIn(try await server.idToken(nonce: nil, audience: "others")).status == 400)
      #expect(try await signIn(try await server.idToken(nonce: nil, lifetime: -60)).status == 400)
      #expect(try await signIn("x.y.z").status == 400)
      #expect(try await signIn(session.access).status == 400)
      #expect(try await backend.post("/token?grant_type=id_token", ["provider": "acme"]).code == "validation_failed")
      let stranger = try OpenIDServer()
      #expect(try await signIn(try await stranger.idToken(nonce: nil)).status == 400)
    }
  }
}

import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import SwiftwaterTokens
import TestSupport
import Testing

@testable import Auth

@Suite("Claims of tokens")
struct ClaimsTests {
  private static func claims(expiresIn: Double = 600) -> String {
    let now = Int(Date().timeIntervalSince1970)
    return
      #"{"iss":"https://h/auth/v1","sub":"\#(Sample.anna)","aud":["authenticated"],"exp":\#(now + Int(expiresIn)),"#
      + #""iat":\#(now - 700),"role":"authenticated","aal":"aal1","session_id":"s","is_anonymous":false,"#
      + #""amr":[{"method":"password","timestamp":1}],"app_metadata":{"a_b":1},"tenant":{"id":7}}"#
  }

  private static func set(_ keys: ES256PrivateKey...) -> String {
    #"{"keys":[\#(keys.map(\.publicJWK).joined(separator: ","))]}"#
  }

  @Test("A token with a public key is verified here; the keys are asked for once")
  func publicKey() async throws {
    let key = try ES256PrivateKey()
    let world = try World { _ in .init(body: Self.set(key)) }
    let token = try key.sign(claims: Self.claims())
    for _ in 0..<3 {
      let response = try await world.client.getClaims(jwt: token)
      #expect(response.header.alg == "ES256" && response.header.kid == key.identifier)
      #expect(response.signature.count == 64)
      let claims = response.claims
      #expect(claims.sub == Sample.anna && claims.aud == .array(["authenticated"]) && claims.aal == "aal1")
      #expect(claims.sessionId == "s" && claims.isAnonymous == false && claims.appMetadata == ["a_b": 1])
      #expect(claims.additionalClaims["tenant"] == ["id": 7] && claims.additionalClaims["amr"] != nil)
      #expect(claims.additionalClaims["sub"] == nil)
      let again = try JSONDecoder().decode(JWTClaims.self, from: JSONEncoder().encode(claims))
      #expect(again == claims)
    }
    #expect(world.server.lines == ["GET /.well-known/jwks.json"])
  }

  @Test("The session's own token is the one unless another is given")
  func session() async throws {
    let key = try ES256PrivateKey()
    let token = try key.sign(claims: Self.claims())
    var session = try Sample.stored()
    session.accessToken = token
    let world = try World(signedIn: session) { _ in .init(body: Self.set(key)) }
    #expect(try await world.client.getClaims().claims.sub == Sample.anna)
  }

  @Test("A key that is new is asked for; one that nobody knows is refused")
  func rotation() async throws {
    let (old, new, foreign) = (try ES256PrivateKey(), try ES256PrivateKey(), try ES256PrivateKey())
    let world = try World { _ in .init(body: Self.set(old)) }
    _ = try await world.client.getClaims(jwt: old.sign(claims: Self.claims()))
    world.server.answer { _ in .init(body: Self.set(old, new)) }
    _ = try await world.client.getClaims(jwt: new.sign(claims: Self.claims()))
    #expect(world.server.exchanges.count == 2)
    let error = await failure { try await world.client.getClaims(jwt: foreign.sign(claims: Self.claims())) }
    #expect(error?.kind == .jwtVerificationFailed && error?.errorCode == .invalidJWT)
  }

  @Test("Tokens that are forged, cut, stretched, unsigned or over are refused, and nobody is asked for the worst")
  func forged() async throws {
    let key = try ES256PrivateKey()
    let world = try World { exchange in
      exchange.path == "/user" ? .refusal(403, "bad_jwt") : .init(body: Self.set(key))
    }
    let token = try key.sign(claims: Self.claims())
    let parts = token.split(separator: ".").map(String.init)
    let other = try key.sign(claims: Self.claims(expiresIn: 9999)).split(separator: ".").map(String.init)
    let unsigned = Base64URL.encode(#"{"alg":"none","kid":"\#(key.identifier)"}"#.utf8) + ".\(parts[1])."
    let forgeries = [
      "\(parts[0]).\(other[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2].dropLast(4))", unsigned,
      String(token.dropLast(100)), "", "..", "a.b.c", "\(parts[0]).\(parts[1])", token + ".x",
      "\(parts[0]).\(Base64URL.encode("[]".utf8)).\(parts[2])",
    ]
    for forgery in forgeries {
      #expect(await kind { try await world.client.getClaims(jwt: forgery) } == .jwtVerificationFailed, "\(forgery)")
    }
    let long = try key.sign(claims: #"{"exp":1,"x":"\#(String(repeating: "a", count: 100_000))"}"#)
    #expect(await kind { try await world.client.getClaims(jwt: long) } == .jwtVerificationFailed)
    #expect(!world.server.lines.contains("GET /user"))
    // Signed with the public key as if it were a secret.
    let confused = JSONWebToken.sign(claims: Self.claims(), secret: key.publicJWK)
    #expect(await failure { try await world.client.getClaims(jwt: confused) }?.errorCode == .badJWT)
  }

  @Test("A token that is over is refused, unless that is allowed; its signature counts all the same")
  func expired() async throws {
    let key = try ES256PrivateKey()
    let world = try World { _ in .init(body: Self.set(key)) }
    let token = try key.sign(claims: Self.claims(expiresIn: -600))
    let error = await failure { try await world.client.getClaims(jwt: token) }
    #expect(error?.kind == .jwtVerificationFailed && error?.message.contains("expired") == true)
    let options = GetClaimsOptions(allowExpired: true)
    #expect(try await world.client.getClaims(jwt: token, options: options).claims.sub == Sample.anna)
    let foreign = try ES256PrivateKey().sign(claims: Self.claims(expiresIn: -600))
    #expect(await kind { try await world.client.getClaims(jwt: foreign, options: options) } == .jwtVerificationFailed)
  }

  @Test("A token that is signed with a secret is shown to the server, or verified with the secret where it is given")
  func secret() async throws {
    let world = try World { _ in .init(body: Sample.user()) }
    let token = JSONWebToken.sign(claims: Self.claims(), secret: Sample.secret)
    #expect(try await world.client.getClaims(jwt: token).claims.sub == Sample.anna)
    #expect(world.server.lines == ["GET /user"])
    #expect(world.server.exchanges.first?.authorization == "Bearer \(token)")
    let jwk = JWK(
      kty: "oct", keyOps: nil, alg: "HS256", kid: nil, n: nil, e: nil, crv: nil, x: nil, y: nil,
      k: Base64URL.encode(Sample.secret.utf8))
    let options = GetClaimsOptions(jwks: JWKS(keys: [jwk]))
    #expect(try await world.client.getClaims(jwt: token, options: options).header.alg == "HS256")
    let forged = JSONWebToken.sign(claims: Self.claims(), secret: "another-secret-of-thirty-two-bytes!!")
    #expect(await kind { try await world.client.getClaims(jwt: forged, options: options) } == .jwtVerificationFailed)
    #expect(world.server.exchanges.count == 1)
    let over = JSONWebToken.sign(claims: Self.claims(expiresIn: -600), secret: Sample.secret)
    #expect(await kind { try await world.client.getClaims(jwt: over) } == .jwtVerificationFailed)
  }

  @Test("How well a session is assured is read from its token and the user's factors")
  func assurance() async throws {
    let factor =
      #","factors":[{"id":"f","factor_type":"totp","status":"verified","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"},{"id":"g","factor_type":"phone","status":"unverified","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}]"#
    var session = try AuthClient.Configuration.jsonDecoder.decode(
      Session.self, from: Data(Sample.session(whole: Sample.user(more: factor)).utf8))
    session.accessToken = Sample.token(
      expiresIn: 600, more: #","aal":"aal1","amr":[{"method":"password","timestamp":1700000000},"sso/saml"]"#)
    let world = try World(signedIn: session) { _ in .init(body: Sample.user(more: factor)) }
    let level = try await world.client.mfa.getAuthenticatorAssuranceLevel()
    #expect(level.currentLevel == .aal1 && level.nextLevel == "aal2")
    #expect(level.currentAuthenticationMethods.map(\.method) == ["password", "sso/saml"])
    #expect(world.server.exchanges.isEmpty)
    let factors = try await world.client.mfa.listFactors()
    #expect(factors.all.count == 2 && factors.totp.map(\.id) == ["f"] && factors.phone.isEmpty)
  }
}

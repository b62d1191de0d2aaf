import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import Testing

@testable import SwiftwaterTokens

@Suite("JSON Web Tokens")
struct JSONWebTokenTests {
  private let secret = "super-secret-jwt-token-with-at-least-32-characters-long"

  private func verifier(audience: String? = nil) throws -> JWTVerifier {
    JWTVerifier(JWTSettings(keys: try JWTKeySet(secret), audience: audience))
  }

  private func sign(_ claims: String) -> String { JSONWebToken.sign(claims: claims, secret: secret) }

  /// A token with any head, signed with the secret.
  private func token(head: String, claims: String = #"{"role":"anon"}"#) -> String {
    let message = JSONWebToken.signingInput(head: head, claims: claims)
    let code = JWTKey.authenticationCode(of: Array(message.utf8), secret: Array(secret.utf8))
    return message + "." + Base64URL.encode(code)
  }

  @Test("Supabase's published local keys come out to the letter")
  func publishedKey() {
    // From Supabase's documentation of local development.
    let key =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9."
      + "CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0"
    #expect(sign(#"{"iss":"supabase-demo","role":"anon","exp":1983812996}"#) == key)
  }

  @Test("A token is verified and tells its claims, each time")
  func verifies() throws {
    let claims = #"{"role":"authenticated","sub":"é","exp":1000}"#
    let verifier = try verifier()
    for _ in 0..<3 {
      let token = try verifier.verify(sign(claims), now: 999)
      #expect(token.values["role"] == "authenticated")
      #expect(token.claims == claims)
      #expect(token.values["sub"] == "é")
    }
  }

  @Test("Time claims hold with thirty seconds of leeway, also for a token that is remembered")
  func time() throws {
    let verifier = try verifier()
    let token = sign(#"{"exp":1000,"nbf":500,"iat":400}"#)
    #expect(try verifier.verify(token, now: 1030.9).values["role"] == nil)
    #expect(throws: JSONWebToken.Refusal.expired) { try verifier.verify(token, now: 1031) }
    #expect(try verifier.verify(token, now: 470).values["role"] == nil)
    #expect(throws: JSONWebToken.Refusal.notYetValid) { try verifier.verify(token, now: 469) }
    #expect(throws: JSONWebToken.Refusal.issuedInFuture) { try verifier.verify(sign(#"{"iat":400}"#), now: 369) }
    #expect(try verifier.verify(sign(#"{"exp":null,"nbf":null,"iat":null,"aud":null}"#)).values["role"] == nil)
  }

  @Test("A time that is no number is said by name", arguments: ["exp", "nbf", "iat"])
  func timeIsNoNumber(claim: String) throws {
    let verifier = try verifier()
    #expect(throws: JSONWebToken.Refusal.claimIsNoNumber(claim)) { try verifier.verify(sign(#"{"\#(claim)":"1"}"#)) }
  }

  @Test(
    "An audience is held against the configured one",
    arguments: [
      (#""mine""#, nil), (#"["other","mine"]"#, nil), ("[]", nil), ("null", nil),
      (#""""#, .wrongAudience), (#"["other"]"#, .wrongAudience),
      (#"{"a":1}"#, .malformedAudience), (#"["mine",1]"#, .malformedAudience), ("7", .malformedAudience),
    ] as [(String, JSONWebToken.Refusal?)])
  func audience(claim: String, refusal: JSONWebToken.Refusal?) throws {
    let token = sign(#"{"aud":\#(claim)}"#)
    func outcome(_ verifier: JWTVerifier) -> JSONWebToken.Refusal? {
      do throws(JSONWebToken.Refusal) {
        _ = try verifier.verify(token)
        return nil
      } catch {
        return error
      }
    }
    #expect(outcome(try verifier(audience: "mine")) == refusal)
    #expect(outcome(try verifier()) == (refusal == .wrongAudience ? nil : refusal))
  }

  @Test("Every changed character of a token is noticed")
  func tampering() throws {
    let verifier = try verifier()
    let characters = Array(sign(#"{"role":"anon"}"#))
    #expect(try verifier.verify(String(characters)).values["role"] == "anon")
    for index in characters.indices {
      var changed = characters
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(throws: JSONWebToken.Refusal.self) { try verifier.verify(String(changed)) }
    }
    let other = JSONWebToken.sign(claims: #"{"role":"anon"}"#, secret: secret + "x")
    #expect(throws: JSONWebToken.Refusal.invalidSignature) { try verifier.verify(other) }
  }

  @Test(
    "A head that asks for no signature, or for what is not understood, is refused",
    arguments: [
      (#"{"alg":"none"}"#, .unsecured), (#"{"alg":"None"}"#, .unsupportedAlgorithm),
      (#"{"alg":"HS384"}"#, .unsupportedAlgorithm), (#"{"alg":"PS256"}"#, .unsupportedAlgorithm),
      (#"{"alg":"HS256","crit":["b64"],"b64":false}"#, .unsupportedAlgorithm),
      (#"{"alg":"RS256"}"#, .noSuitableKey), (#"{"alg":"ES256"}"#, .noSuitableKey),
      (#"{"typ":"JWT"}"#, .malformed), (#"["HS256"]"#, .malformed), ("x", .malformed),
    ] as [(String, JSONWebToken.Refusal)])
  func heads(head: String, refusal: JSONWebToken.Refusal) throws {
    let verifier = try verifier()
    #expect(throws: refusal) { try verifier.verify(token(head: head)) }
  }

  @Test("Claims that are no JSON object are refused", arguments: ["[]", "1", "\"a\"", "not an object", "{", ""])
  func claims(text: String) throws {
    let verifier = try verifier()
    #expect(throws: JSONWebToken.Refusal.malformedClaims) { try verifier.verify(sign(text)) }
  }

  @Test(
    "Garbage is refused for what it is",
    arguments: [
      ("", .empty), (".", .parts(2)), ("a.b", .parts(2)), ("a.b.c.d", .parts(4)), ("x", .parts(1)), ("..", .malformed),
      ("a.b.c", .malformed), ("é.é.é", .malformed), ("e30.e30.e30", .malformed),
    ] as [(String, JSONWebToken.Refusal)])
  func garbage(token: String, refusal: JSONWebToken.Refusal) throws {
    let verifier = try verifier()
    #expect(throws: refusal) { try verifier.verify(token) }
  }

  @Test("Without keys no token is believed")
  func noKeys() {
    let verifier = JWTVerifier(JWTSettings(keys: nil))
    #expect(throws: JSONWebToken.Refusal.noKeys) { try verifier.verify(sign("{}")) }
  }

  @Test("Whoever needs no proof reads the claims of any token, but not of what is none")
  func unverified() throws {
    let forged = JSONWebToken.sign(claims: #"{"role":"anon","exp":1}"#, secret: "guess")
    #expect(try JSONWebToken.unverified(forged).values["exp"] == 1)
    #expect(try JSONWebToken.unverified("?.e30.?").claims == "{}")
    #expect(throws: JSONWebToken.Refusal.parts(2)) { try JSONWebToken.unverified("e30.e30") }
    #expect(throws: JSONWebToken.Refusal.malformedClaims) { try JSONWebToken.unverified("e30.W10.e30") }
    #expect(throws: JSONWebToken.Refusal.empty) { try JSONWebToken.unverified("") }
  }

  @Test("Clocks may differ by as much as the settings say")
  func leeway() throws {
    let verifier = JWTVerifier(JWTSettings(keys: try JWTKeySet(secret), leeway: 0))
    #expect(try verifier.verify(sign(#"{"exp":1000}"#), now: 1000).values["exp"] == 1000)
    #expect(throws: JSONWebToken.Refusal.expired) { try verifier.verify(sign(#"{"exp":1000}"#), now: 1001) }
  }

  @Test("Remembered tokens are bounded, and one in use stays")
  func bounded() throws {
    var recent = RecentValues<String, JSONWebToken>(capacity: 10)
    let token = try verifier().verify(sign("{}"))
    recent["used"] = token
    for number in 0..<1000 {
      recent["\(number)"] = token
      #expect(recent["used"] != nil)
      #expect(recent.count <= 10)
    }
    var none = RecentValues<String, JSONWebToken>(capacity: 0)
    none["a"] = token
    #expect(none["a"] == nil)
  }

  @Test(
    "Base64url has one spelling for each value",
    arguments: [[], [0], [255, 254], [1, 2, 3], [251, 255, 190, 0]] as [[UInt8]])
  func base64(bytes: [UInt8]) {
    let text = Base64URL.encode(bytes)
    #expect(
      text
        == Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
          "=", with: ""))
    #expect(Base64URL.decode(text) == bytes)
    for other in [text + "=", text + "+", text + " "] { #expect(Base64URL.decode(other) == nil) }
    #expect(Base64URL.decode("AB") == nil)
  }
}

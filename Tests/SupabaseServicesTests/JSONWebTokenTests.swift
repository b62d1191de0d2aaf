import FoundationEssentials
import Testing

@testable import SupabaseServices

@Suite("JSON Web Tokens")
struct JSONWebTokenTests {
  private let secret = "super-secret-jwt-token-with-at-least-32-characters-long"

  @Test("Supabase's published local keys come out to the letter")
  func publishedKey() {
    // From Supabase's documentation of local development.
    let key =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9."
      + "CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0"
    #expect(
      JSONWebToken.sign(claims: #"{"iss":"supabase-demo","role":"anon","exp":1983812996}"#, secret: secret) == key)
  }

  @Test("A token is verified and tells role and claims")
  func verifies() throws {
    let claims = #"{"role":"authenticated","sub":"é","exp":1000}"#
    let token = try JSONWebToken(verifying: JSONWebToken.sign(claims: claims, secret: secret), secret: secret, now: 999)
    #expect(token.role == "authenticated")
    #expect(token.claims == claims)
  }

  @Test("Time claims hold with thirty seconds of leeway")
  func time() throws {
    let token = JSONWebToken.sign(claims: #"{"exp":1000,"nbf":500}"#, secret: secret)
    #expect(try JSONWebToken(verifying: token, secret: secret, now: 1029).role == nil)
    #expect(throws: JSONWebToken.Refusal.expired) { try JSONWebToken(verifying: token, secret: secret, now: 1031) }
    #expect(throws: JSONWebToken.Refusal.notYetValid) { try JSONWebToken(verifying: token, secret: secret, now: 400) }
  }

  @Test("Every changed bit of a token is noticed")
  func tampering() {
    let token = JSONWebToken.sign(claims: #"{"role":"anon"}"#, secret: secret)
    #expect(throws: JSONWebToken.Refusal.invalidSignature) {
      try JSONWebToken(verifying: token, secret: secret + "x", now: 0)
    }
    let parts = token.split(separator: ".")
    let other = JSONWebToken.sign(claims: #"{"role":"service_role"}"#, secret: "guess").split(separator: ".")
    #expect(throws: JSONWebToken.Refusal.invalidSignature) {
      try JSONWebToken(verifying: "\(parts[0]).\(other[1]).\(parts[2])", secret: secret, now: 0)
    }
  }

  @Test("An unsigned token is refused")
  func unsigned() {
    func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString().replacing("=", with: "") }
    let token = encoded(#"{"alg":"none"}"#) + "." + encoded(#"{"role":"service_role"}"#) + "."
    #expect(throws: JSONWebToken.Refusal.unsupportedAlgorithm) {
      try JSONWebToken(verifying: token, secret: secret, now: 0)
    }
  }

  @Test("Garbage is malformed", arguments: ["", ".", "..", "a.b", "a.b.c", "é.é.é", "e30.e30.e30", "a.b.c.d"])
  func garbage(token: String) {
    #expect(throws: JSONWebToken.Refusal.malformed) { try JSONWebToken(verifying: token, secret: secret, now: 0) }
  }
}

import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterTokens
import Testing

@testable import SupabaseServices

@Suite("Who a request comes from")
struct RESTCallerTests {
  private let secret = "reallyreallyreallyreallyverysafe"

  private func caller(
    _ fields: HTTPFields, anonymousRole: String? = "anon", keys: Bool = true
  ) throws(RESTError) -> RESTCaller {
    let set = keys ? try? JWTKeySet(secret) : nil
    return try RESTCaller(
      fields, verifier: JWTVerifier(JWTSettings(keys: set)), rolePath: .role, anonymousRole: anonymousRole)
  }

  private func sign(_ claims: String) -> String { JSONWebToken.sign(claims: claims, secret: secret) }

  private func refusal(_ fields: HTTPFields, anonymousRole: String? = "anon", keys: Bool = true) -> RESTError? {
    do throws(RESTError) {
      _ = try caller(fields, anonymousRole: anonymousRole, keys: keys)
      return nil
    } catch {
      return error
    }
  }

  @Test("The bearer counts before the apikey, in any case; another scheme is no token")
  func sources() throws {
    let (user, key) = (sign(#"{"role":"authenticated"}"#), sign(#"{"role":"anon"}"#))
    #expect(try caller([.authorization: "Bearer \(user)", .apiKey: key]).role == "authenticated")
    #expect(try caller([.authorization: "bearer  \(user)"]).role == "authenticated")
    #expect(try caller([.apiKey: key]).isAnonymous)
    #expect(try caller([:]).isAnonymous)
    #expect(try caller([.authorization: "Basic YTpi"]).isAnonymous)
  }

  @Test("Without a role of its own a token runs as the anonymous one, and its claims say so")
  func defaultRole() throws {
    let caller = try caller([.apiKey: sign(#"{"sub":"a"}"#)])
    #expect(caller.role == "anon")
    #expect(caller.claims == #"{"sub":"a","role":"anon"}"#)
    #expect(try self.caller([.apiKey: sign("{ }")]).claims == #"{ "role":"anon"}"#)
    #expect(try self.caller([.apiKey: sign(#"{"role":"x","a":1}"#)]).claims == #"{"role":"x","a":1}"#)
  }

  @Test("Where strangers are not let in they are told so")
  func noStrangers() throws {
    for fields in [[:], [.apiKey: sign("{}")]] as [HTTPFields] {
      let error = try #require(refusal(fields, anonymousRole: nil))
      #expect(error.status == 401)
      #expect(error.code == "PGRST302")
      #expect(error.challenge == "Bearer")
    }
    #expect(refusal([.apiKey: sign(#"{"role":"a"}"#)], anonymousRole: nil) == nil)
  }

  @Test(
    "Refusals have PostgREST's words and a challenge",
    arguments: [
      ("", "PGRST301", "Empty JWT is sent in Authorization header", nil),
      ("a.b", "PGRST301", "Expected 3 parts in JWT; got 2", nil),
      ("quifquirndsjagnrgniur.fonvoienqhhdj.iuqvnvhojah", "PGRST301", "JWT cryptographic operation failed", nil),
      (
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0.e30.yOBhlOIqn56T-4NvyEXCjfi3UmyQZ-BzXtePMO2NgRI", "PGRST301",
        "Wrong or unsupported encoding algorithm", "JWT is unsecured but expected 'alg' was not 'none'"
      ),
      (
        JSONWebToken.sign(claims: "{}", secret: "wrong"), "PGRST301", "No suitable key or wrong key type",
        "None of the keys was able to decode the JWT"
      ),
      (
        JSONWebToken.sign(claims: #"{"exp":1}"#, secret: "reallyreallyreallyreallyverysafe"), "PGRST303", "JWT expired",
        nil
      ),
      (
        JSONWebToken.sign(claims: #"{"nbf":99999999999}"#, secret: "reallyreallyreallyreallyverysafe"), "PGRST303",
        "JWT not yet valid", nil
      ),
    ] as [(String, String, String, String?)])
  func refusals(token: String, code: String, message: String, details: String?) throws {
    let error = try #require(refusal([.authorization: "Bearer \(token)"]))
    #expect(error.status == 401)
    #expect(error.code == code)
    #expect(error.message == message)
    #expect(error.details == details.map(RESTError.Details.text))
    #expect(error.challenge == "Bearer error=\"invalid_token\", error_description=\"\(message)\"")
  }

  @Test("Without keys a token is the server's fault")
  func noKeys() {
    #expect(refusal([.apiKey: sign("{}")], keys: false)?.status == 500)
    #expect(refusal([.apiKey: sign("{}")], keys: false)?.code == "PGRST300")
    #expect(refusal([:], keys: false) == nil)
  }
}

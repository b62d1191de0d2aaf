import CCrypto
import Foundation
import SwiftwaterHTTP
import TestSupport
import Testing

@testable import SwiftwaterTokens

@Suite("Keys of tokens")
struct JWTKeyTests {
  // PostgREST's own test key and a token that its private half has signed.
  static let rsa: String =
    #"{"alg":"RS256","e":"AQAB","key_ops":["verify"],"kty":"RSA","n":"0etQ2Tg187jb04MWfpuogYGV75IFrQQBxQaGH75eq_FpbkyoLcEpRUEWSbECP2eeFya2yZ9vIO5ScD-lPmovePk4Aa4SzZ8jdjhmAbNykleRPCxMg0481kz6PQhnHRUv3nF5WP479CnObJKqTVdEagVL66oxnX9VhZG9IZA7k0Th5PfKQwrKGyUeTGczpOjaPqbxlunP73j9AfnAt4XCS8epa-n3WGz1j-wfpr_ys57Aq-zBCfqP67UYzNpeI1AoXsJhD9xSDOzvJgFRvc3vm2wjAW4LEMwi48rCplamOpZToIHEPIaPzpveYQwDnB1HFTR1ove9bpKJsHmi-e2uzQ","use":"sig"}"#
  private static let rsaToken =
    "eyJhbGciOiJSUzI1NiJ9.eyJyb2xlIjogInBvc3RncmVzdF90ZXN0X2F1dGhvciJ9Cg.CBOYWDvqgAR0YYnZnyDGTQi6AJLc2Pds6_eV3YuBG6I36mj_h05eLhkEKNEDA5ZteMzCiY83P60rC_xtxVd7B6vo3BeF5uoanPS3rrbuHzKPwzsrgrD_CqvEuJ4n7Q9epkQiLsNkcexneENZDRqFjbwZx3DrXiCWwlK3Ytr5NAIGxmy0od-0xNpb2U1nXQyO_Q3mumWFViRt4tmFn_3goDHNKG3Ha_AzImfUNvHnWL78kAc4rbn15vLtWXD8PwtSnZaB4lY4V6RfsaW937srQsmRetvytM1i_bHBnjkjQLAqGbXPyItjtlXPs0uGNBadE8-wgkLtfmSCC4v2DjUthw"
  private static let secret = "reallyreallyreallyreallyverysafe"

  private func verifier(_ keys: String...) throws -> JWTVerifier {
    JWTVerifier(JWTSettings(keys: try JWTKeySet(#"{"keys":[\#(keys.joined(separator: ","))]}"#)))
  }

  private func secretKey(_ secret: String = secret, kid: String? = nil) -> String {
    #"{"kty":"oct","k":"\#(Base64URL.encode(secret.utf8))"\#(kid.map { #","kid":"\#($0)""# } ?? "")}"#
  }

  @Test("A token signed with RSA is verified, alone and among other keys")
  func rsaSignature() throws {
    #expect(try verifier(Self.rsa).verify(Self.rsaToken).values["role"] == "postgrest_test_author")
    let key = try ES256PrivateKey()
    #expect(
      try verifier(secretKey(), key.publicJWK, Self.rsa).verify(Self.rsaToken).values["role"] == "postgrest_test_author"
    )
    #expect(try JWTVerifier(JWTSettings(keys: JWTKeySet(Self.rsa))).verify(Self.rsaToken).values["role"] != nil)
    let verifier = try verifier(Self.rsa)
    #expect(throws: JSONWebToken.Refusal.invalidSignature) {
      try verifier.verify(Self.rsaToken.replacing("CBOYWD", with: "CBOYWE"))
    }
  }

  @Test("A public key is no secret: a token signed with it by HMAC is refused")
  func confusion() throws {
    let key = try ES256PrivateKey()
    let verifier = try verifier(key.publicJWK, Self.rsa)
    for text in [key.publicJWK, Self.rsa] {
      let forged = JSONWebToken.sign(claims: #"{"role":"service_role"}"#, secret: text)
      #expect(throws: JSONWebToken.Refusal.noSuitableKey) { try verifier.verify(forged) }
    }
  }

  @Test("Tokens signed with P-256 are verified, by the public half alone, also from a stored key")
  func ellipticCurve() throws {
    let key = try ES256PrivateKey()
    let stored = try ES256PrivateKey(jwk: key.jwk)
    #expect(stored.identifier == key.identifier)
    #expect(stored.publicJWK == key.publicJWK)
    let verifier = try verifier(key.publicJWK)
    // Numbers with leading zeros come up once in 128 signatures.
    for number in 0..<600 {
      let token = try (number % 2 == 0 ? key : stored).sign(claims: #"{"role":"r\#(number)"}"#)
      #expect(try verifier.verify(token).values["role"] == "r\(number)")
    }
    let other = try ES256PrivateKey().sign(claims: "{}")
    #expect(throws: JSONWebToken.Refusal.noSuitableKey) { try verifier.verify(other) }
  }

  @Test("Keys are taken by name where both have one; one without a name serves for all")
  func names() throws {
    let claims = #"{"role":"anon"}"#
    let key = try ES256PrivateKey()
    let renamed = try ES256PrivateKey(jwk: key.jwk.replacing(key.identifier, with: "other"))
    #expect(
      try verifier(key.publicJWK, renamed.publicJWK).verify(renamed.sign(claims: claims)).values["role"] == "anon")
    let onlyFirst = try verifier(key.publicJWK)
    #expect(throws: JSONWebToken.Refusal.noSuitableKey) { try onlyFirst.verify(renamed.sign(claims: claims)) }
    let nameless = key.publicJWK.replacing(#""kid":"\#(key.identifier)","#, with: "")
    #expect(try verifier(nameless).verify(renamed.sign(claims: claims)).values["role"] == "anon")
    let signed = JSONWebToken.sign(claims: claims, secret: Self.secret)
    #expect(
      try verifier(secretKey("another secret, of enough bytes...", kid: "a"), secretKey(kid: "b")).verify(signed)
        .values["role"]
        == "anon")
  }

  @Test("A secret may come as text, in base64, or as a key")
  func secrets() throws {
    let signed = JSONWebToken.sign(claims: #"{"role":"anon"}"#, secret: Self.secret)
    let base64 = Data(Self.secret.utf8).base64EncodedString()
    let sets = [
      try JWTKeySet(Self.secret), try JWTKeySet(base64, isBase64: true), try JWTKeySet(" " + secretKey()),
      try JWTKeySet(ES256PrivateKey().publicJWK) + JWTKeySet(Self.secret),
    ]
    for set in sets { #expect(try JWTVerifier(JWTSettings(keys: set)).verify(signed).values["role"] == "anon") }
    // A secret may look like JSON, too.
    let odd = #"{"this secret": "is no key, whatever it looks like"}"#
    let oddToken = JSONWebToken.sign(claims: "{}", secret: odd)
    #expect(throws: Never.self) { try JWTVerifier(JWTSettings(keys: JWTKeySet(odd))).verify(oddToken) }
  }

  @Test(
    "Keys that are weak, malformed or for something else are refused with a reason that does not quote them",
    arguments: [
      "short secret", #"{"keys":[]}"#, #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#,
      #"{"kty":"oct","k":"c2hvcnQ"}"#, #"{"kty":"oct"}"#, #"{"kty":"oct","k":"!"}"#, #"{"keys":[{}]}"#,
      #"{"kty":"RSA","n":"0etQ2Tg1","e":"AQAB"}"#, #"{"kty":"RSA","n":"AA","e":"AA"}"#,
      #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#,
      #"{"kty":"EC","crv":"P-256","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE","y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"}"#,
      #"{"kty":"EC","crv":"P-384","x":"AQ","y":"AQ"}"#,
      "{\"keys\":[" + JWTKeyTests.rsa.replacing("RS256", with: "PS256") + "]}",
      "{\"keys\":[" + JWTKeyTests.rsa.replacing("sig", with: "enc") + "]}",
    ])
  func unusable(text: String) {
    let error = #expect(throws: JWTKeyError.self) { try JWTKeySet(text) }
    #expect(error.map { !$0.message.contains(text) && !$0.message.contains("0etQ") } == true)
  }

  @Test("OpenSSL's keys are given back with their set")
  func released() throws {
    weak var key: CryptoKey?
    do {
      let made = try #require(CryptoKey(publicKey: CryptoKey(swiftwater_generate_p256())?.publicBytes ?? []))
      key = made
      #expect(key?.bits == 256)
    }
    #expect(key == nil)
  }

  @Test("A private key whose halves do not belong together is refused")
  func mismatchedPair() throws {
    let (first, second) = (try ES256PrivateKey(), try ES256PrivateKey())
    let d = try #require(first.jwk.firstMatch(of: /"d":"[^"]*"/)?.output)
    let other = try #require(second.jwk.firstMatch(of: /"d":"[^"]*"/)?.output)
    let mixed = first.jwk.replacing(d, with: other)
    #expect(throws: JWTKeyError.self) { try ES256PrivateKey(jwk: mixed) }
    #expect(throws: JWTKeyError.self) { try ES256PrivateKey(jwk: first.publicJWK) }
    #expect(throws: JWTKeyError.self) { try ES256PrivateKey(jwk: "{}") }
  }

  @Test(
    "The openssl command verifies what a P-256 key has signed",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "the openssl command is not installed"))
  func witness() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "swiftwater-keys-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = try ES256PrivateKey()
    let parts = try key.sign(claims: #"{"role":"anon"}"#).split(separator: ".")
    let signature = try #require(Base64URL.decode(parts[2]))
    let sequence = DER.sequence(DER.integer(signature.prefix(32)), DER.integer(signature.suffix(32)))
    try Data(sequence).write(to: folder.appending(path: "signature"))
    try Data("\(parts[0]).\(parts[1])".utf8).write(to: folder.appending(path: "message"))
    let jwk = try JSONDecoder().decode(JSONValue.self, from: Data(key.publicJWK.utf8))
    let x = try #require(jwk["x"]?.stringValue.flatMap { Base64URL.decode($0) })
    let y = try #require(jwk["y"]?.stringValue.flatMap { Base64URL.decode($0) })
    let info = DER.sequence(DER.ellipticCurve, DER.bitString([4] + x + y))
    let pem =
      "-----BEGIN PUBLIC KEY-----\n\(Data(info).base64EncodedString(options: .lineLength64Characters))\n-----END PUBLIC KEY-----\n"
    try Data(pem.utf8).write(to: folder.appending(path: "key.pem"))
    let openssl = try ChildProgram(
      "/usr/bin/openssl",
      [
        "dgst", "-sha256", "-verify", folder.path + "/key.pem", "-signature", folder.path + "/signature",
        folder.path + "/message",
      ])
    #expect(await openssl.status() == 0, "\(openssl.output)")
    #expect(openssl.output.contains("Verified OK"))
  }
}

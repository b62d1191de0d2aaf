import BenchmarkSupport
import CCrypto
import SwiftwaterTokens

/// Tokens verified on one thread, for each algorithm: anew each time, beside bare calls of OpenSSL for the same
/// signature, and remembered.
enum Verification {
  private static let claims =
    #"{"aal":"aal1","aud":"authenticated","email":"ada@example.com","exp":9999999999,"iat":1700000000,"#
    + #""iss":"http://127.0.0.1:54321/auth/v1","role":"authenticated","session_id":"0c1ab35c-4a0f-4d7c-b0ab-6d5b6e6f0a11","#
    + #""sub":"f3c148fd-7ca1-4962-ab7d-a820167a1a18","app_metadata":{"provider":"email","providers":["email"]}}"#

  enum Failure: Error { case openSSL, verification }

  static func measure() throws -> [Figure] {
    let secret = String(repeating: "a secret of this benchmark ", count: 2)
    let shared = JSONWebToken.sign(claims: claims, secret: secret)
    let curve = try ES256PrivateKey()
    let rsa = try RSAKey()
    let signed = try curve.sign(claims: claims)
    return try figures("HS256", shared, JWTKeySet(secret)) { try hmac(shared, secret: secret) }
      + figures("RS256", rsa.sign(claims), JWTKeySet(rsa.publicJWK)) { try rsa.floor() }
      + figures("ES256", signed, JWTKeySet(curve.publicJWK)) { try ellipticCurveFloor() }
  }

  private static func figures(
    _ algorithm: String, _ token: String, _ keys: JWTKeySet, _ floor: () throws -> Double
  ) throws -> [Figure] {
    Machine.progress("verification, \(algorithm)")
    let anew = JWTVerifier(JWTSettings(keys: keys, cachedTokens: 0))
    let remembered = JWTVerifier(JWTSettings(keys: keys))
    var (floors, rates, cached): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<3 {
      floors.append(try floor())
      rates.append(try rate { _ = try anew.verify(token) })
      cached.append(try rate { _ = try remembered.verify(token) })
    }
    let least = median(floors)
    return [
      Figure("OpenSSL, \(algorithm)", least, "/s"),
      Figure("verify, \(algorithm)", median(rates), "/s", ratio: median(rates) / least),
      Figure("verify, \(algorithm), remembered", median(cached), "/s", ratio: median(cached) / least),
    ]
  }

  /// Calls a second long.
  static func rate(_ body: () throws -> Void) rethrows -> Double {
    let start = Machine.now()
    var count = 0
    while Machine.now() - start < 1e9 {
      for _ in 0..<50 { try body() }
      count += 50
    }
    return Double(count) / ((Machine.now() - start) / 1e9)
  }

  private static func hmac(_ token: String, secret: String) throws -> Double {
    let message = Array(token.utf8.prefix(token.utf8.count - 44))
    let key = Array(secret.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 0
    return rate { HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &digest, &length) }
  }

  /// A pair of P-256 keys of OpenSSL's own, whose signature over as many bytes is verified.
  private static func ellipticCurveFloor() throws -> Double {
    guard let key = swiftwater_generate_p256() else { throw Failure.openSSL }
    defer { EVP_PKEY_free(key) }
    return try verifications(key)
  }

  static func verifications(_ key: OpaquePointer) throws -> Double {
    let message = Array(repeating: UInt8(ascii: "x"), count: claims.utf8.count * 4 / 3 + 40)
    let signature = try sign(message, key)
    return try rate {
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1,
        EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
      else { throw Failure.verification }
    }
  }

  static func sign(_ message: [UInt8], _ key: OpaquePointer) throws -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var count = 512
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else { throw Failure.openSSL }
    return Array(signature.prefix(count))
  }

  /// A pair of RSA keys of 2048 bits.
  final class RSAKey {
    private let key: OpaquePointer

    init() throws {
      let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
      defer { EVP_PKEY_CTX_free(context) }
      var key: OpaquePointer?
      guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
        EVP_PKEY_keygen(context, &key) == 1, let key
      else { throw Failure.openSSL }
      self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// The public half as a JSON Web Key.
    var publicJWK: String {
      #"{"kty":"RSA","alg":"RS256","n":"\#(number("n"))","e":"\#(number("e"))"}"#
    }

    func sign(_ claims: String) throws -> String {
      let message = Base64URL.encode(#"{"alg":"RS256","typ":"JWT"}"#.utf8) + "." + Base64URL.encode(claims.utf8)
      return message + "." + Base64URL.encode(try Verification.sign(Array(message.utf8), key))
    }

    func floor() throws -> Double { try verifications(key) }

    private func number(_ name: String) -> String {
      var value: OpaquePointer?
      guard EVP_PKEY_get_bn_param(key, name, &value) == 1, let value else { return "" }
      defer { BN_free(value) }
      var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(value) + 7) / 8)
      _ = BN_bn2bin(value, &bytes)
      return Base64URL.encode(bytes)
    }
  }
}

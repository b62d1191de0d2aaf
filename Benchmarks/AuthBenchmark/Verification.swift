import BenchmarkSupport
import CCrypto
import FoundationEssentials
import SwiftwaterTokens

/// How many tokens a second one thread verifies, beside the signature alone with bare OpenSSL.
struct Verification {
  /// What a session's token claims.
  private static func claims(_ number: Int) -> String {
    let id = UUID().uuidString.lowercased()
    return #"""
      {"iss":"http://127.0.0.1:54321/auth/v1","sub":"\#(id)","aud":"authenticated","exp":4102444800,"iat":\#(number),\#
      "email":"somebody@example.com","phone":"","app_metadata":{"provider":"email","providers":["email"]},\#
      "user_metadata":{"email":"somebody@example.com","email_verified":true,"phone_verified":false,"sub":"\#(id)"},\#
      "role":"authenticated","aal":"aal1","amr":[{"method":"password","timestamp":1764547200}],"session_id":"\#(id)",\#
      "is_anonymous":false}
      """#
  }

  private let name: String
  private let tokens: [String]
  private let keys: JWTKeySet
  /// Verifies one signature with OpenSSL alone.
  private let floor: (_ token: Int) -> Bool

  private static let count = 200

  static func secret() throws -> Verification {
    let secret = "super-secret-jwt-token-with-at-least-32-characters-long"
    let tokens = (0..<count).map { JSONWebToken.sign(claims: claims($0), secret: secret) }
    let parts = tokens.map(Parts.init)
    let key = Array(secret.utf8)
    return Verification(name: "HS256", tokens: tokens, keys: try JWTKeySet(secret)) { number in
      var (code, length) = ([UInt8](repeating: 0, count: 32), UInt32(0))
      let message = parts[number].message
      HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &length)
      return CRYPTO_memcmp(code, parts[number].signature, 32) == 0
    }
  }

  static func ellipticCurve() throws -> Verification {
    let key = try ES256PrivateKey()
    let tokens = try (0..<count).map { try key.sign(claims: claims($0)) }
    let parts = tokens.map(Parts.init)
    let signatures = parts.map { sequence($0.signature) }
    let parsed = try publicKey(ofJWK: key.publicJWK)
    return Verification(name: "ES256", tokens: tokens, keys: try JWTKeySet(key.publicJWK)) { number in
      verifies(signatures[number], parts[number].message, parsed)
    }
  }

  static func rsa() throws -> Verification {
    var pair: OpaquePointer?
    let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
      EVP_PKEY_keygen(context, &pair) == 1, let pair
    else { throw Failure(description: "OpenSSL cannot generate an RSA key") }
    let key = try RS256PrivateKey(pem: pem(of: pair))
    let tokens = try (0..<count).map { try key.sign(claims: claims($0)) }
    let parts = tokens.map(Parts.init)
    return Verification(name: "RS256", tokens: tokens, keys: try JWTKeySet(key.publicJWK)) { number in
      verifies(parts[number].signature, parts[number].message, pair)
    }
  }

  /// The two ways take turns.
  func figures() throws -> [Figure] {
    let (uncached, cached) = (
      JWTVerifier(JWTSettings(keys: keys, cachedTokens: 0)),
      JWTVerifier(JWTSettings(keys: keys, cachedTokens: 2 * tokens.count))
    )
    func rate(_ body: (Int) throws -> Void) rethrows -> Double {
      let start = Machine.threadTime()
      for number in tokens.indices { try body(number) }
      return Double(tokens.count) / (Machine.threadTime() - start) * 1e9
    }
    var (floors, verified, known): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<40 {
      floors.append(rate { precondition(floor($0)) })
      verified.append(try rate { _ = try uncached.verify(tokens[$0]) })
      known.append(try rate { _ = try cached.verify(tokens[$0]) })
    }
    let bare = median(floors)
    return [
      Figure("\(name) signature alone, OpenSSL", bare, "/s"),
      Figure(
        "\(name) token, not seen before", median(verified), "/s", ratio: median(verified) / bare, .ratioAtLeast(0.8)),
      Figure("\(name) token, remembered", median(known), "/s", ratio: median(known) / bare),
    ]
  }
}

private struct Failure: Error, CustomStringConvertible { let description: String }

/// What is signed, and the signature.
private struct Parts {
  let message: [UInt8]
  let signature: [UInt8]

  init(_ token: String) {
    let parts = token.split(separator: ".")
    message = Array("\(parts[0]).\(parts[1])".utf8)
    let base64 = parts[2].replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
    signature = Array(Data(base64Encoded: base64 + padding) ?? Data())
  }
}

private func verifies(_ signature: [UInt8], _ message: [UInt8], _ key: OpaquePointer) -> Bool {
  let context = EVP_MD_CTX_new()
  defer { EVP_MD_CTX_free(context) }
  return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
    && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
}

/// OpenSSL's form of the two numbers of 32 bytes.
private func sequence(_ numbers: [UInt8]) -> [UInt8] {
  let integers = [numbers.prefix(32), numbers.suffix(32)].flatMap { number -> [UInt8] in
    let digits = Array(number.drop { $0 == 0 })
    let content = digits[0] & 0x80 == 0 ? digits : [0] + digits
    return [0x02, UInt8(content.count)] + content
  }
  return [0x30, UInt8(integers.count)] + integers
}

private func publicKey(ofJWK text: String) throws -> OpaquePointer {
  struct JWK: Decodable { let x, y: String }
  let jwk = try JSONDecoder().decode(JWK.self, from: Data(text.utf8))
  let point = [jwk.x, jwk.y].flatMap { Parts("..".replacing("..", with: "a.b.\($0)")).signature }
  // SubjectPublicKeyInfo of P-256: everything before the point is the same for all keys.
  let head: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]
  let bytes = head + point
  let key = bytes.withUnsafeBufferPointer { buffer in
    var start = buffer.baseAddress
    return d2i_PUBKEY(nil, &start, buffer.count)
  }
  guard let key else { throw Failure(description: "OpenSSL does not read the P-256 key") }
  return key
}

private func pem(of key: OpaquePointer) -> String {
  let output = BIO_new(BIO_s_mem())
  defer { BIO_free(output) }
  PEM_write_bio_PrivateKey(output, key, nil, nil, 0, nil, nil)
  var bytes = [UInt8](repeating: 0, count: 8192)
  let count = BIO_read(output, &bytes, Int32(bytes.count))
  return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
}

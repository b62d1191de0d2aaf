internal import CCrypto
internal import SwiftwaterHTTP

/// One key that verifies signatures of exactly one algorithm.
struct JWTKey: Sendable {
  /// An algorithm by its name in a token's head (RFC 7518 §3.1).
  enum Algorithm: String, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
  }

  private enum Material: Sendable {
    case secret([UInt8])
    case rsa(CryptoKey)
    case ellipticCurve(CryptoKey)
  }

  /// What a token's `kid` names it by.
  let identifier: String?
  private let material: Material

  /// The one algorithm that fits the key: a public key must never pass for a secret, which everybody knows it.
  var algorithm: Algorithm {
    switch material {
    case .secret: .hs256
    case .rsa: .rs256
    case .ellipticCurve: .es256
    }
  }

  init(secret: [UInt8], identifier: String? = nil) throws(JWTKeyError) {
    // RFC 7518 §3.2: at least as long as the hash.
    guard secret.count >= 32 else {
      throw JWTKeyError("The JWT secret must have at least 32 bytes, not \(secret.count).")
    }
    material = .secret(secret)
    self.identifier = identifier
  }

  /// Reads a JSON Web Key; nil for one that is for something else.
  init?(json: JSONValue) throws(JWTKeyError) {
    guard let type = json["kty"]?.stringValue else { throw JWTKeyError("A JSON Web Key has no kty.") }
    identifier = json["kid"]?.stringValue
    if let use = json["use"]?.stringValue, use != "sig" { return nil }
    func bytes(_ member: String) throws(JWTKeyError) -> [UInt8] {
      guard let bytes = json[member]?.stringValue.flatMap(Base64URL.decode), !bytes.isEmpty else {
        throw JWTKeyError("The member \(member) of a JSON Web Key (\(type)) is missing or no base64url.")
      }
      return bytes
    }
    switch type {
    case "oct":
      material = try JWTKey(secret: bytes("k")).material
    case "RSA":
      let content = DER.sequence(DER.integer(try bytes("n")), DER.integer(try bytes("e")))
      guard let key = CryptoKey(publicKey: DER.sequence(DER.rsa, DER.bitString(content))) else {
        throw JWTKeyError("The members n and e of a JSON Web Key are no RSA key.")
      }
      // RFC 7518 §3.3.
      guard key.bits >= 2048 else { throw JWTKeyError("An RSA key must have at least 2048 bits, not \(key.bits).") }
      material = .rsa(key)
    case "EC" where json["crv"]?.stringValue == "P-256":
      let (x, y) = (try bytes("x"), try bytes("y"))
      guard x.count == 32, y.count == 32,
        let key = CryptoKey(publicKey: DER.sequence(DER.ellipticCurve, DER.bitString([4] + x + y)))
      else { throw JWTKeyError("The members x and y of a JSON Web Key are no point of P-256.") }
      material = .ellipticCurve(key)
    default:
      return nil
    }
    if let named = json["alg"]?.stringValue, named != algorithm.rawValue { return nil }
  }

  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch material {
    case .secret(let secret):
      let expected = Self.authenticationCode(of: message, secret: secret)
      // In constant time, so that the answer's delay tells nothing.
      return signature.count == expected.count && CRYPTO_memcmp(signature, expected, expected.count) == 0
    case .rsa(let key):
      return key.verifies(signature, of: message)
    case .ellipticCurve(let key):
      // Two numbers side by side (RFC 7518 §3.4), where OpenSSL wants a sequence.
      guard signature.count == 64 else { return false }
      let sequence = DER.sequence(DER.integer(signature.prefix(32)), DER.integer(signature.suffix(32)))
      return key.verifies(sequence, of: message)
    }
  }

  /// HMAC-SHA-256.
  static func authenticationCode(of message: [UInt8], secret: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
      var length: UInt32 = 0
      HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, buffer.baseAddress, &length)
      count = Int(length)
    }
  }
}

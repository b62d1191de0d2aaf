internal import CCrypto
internal import FoundationEssentials

/// JSON Web Tokens signed with HMAC-SHA-256 (RFC 7519, RFC 7515 A.1).
public struct JSONWebToken: Sendable {
  /// Why a token was refused.
  public enum Refusal: Error, Sendable, Equatable {
    /// It is not three parts of base64url with JSON in them.
    case malformed
    /// It is signed by another algorithm than HS256.
    case unsupportedAlgorithm
    /// The signature does not fit the secret.
    case invalidSignature
    /// Its `exp` has passed.
    case expired
    /// Its `nbf` has not come yet.
    case notYetValid
  }

  /// The claims as the token carries them: a JSON object.
  public let claims: String
  /// The claim `role`.
  public let role: String?

  /// Verifies a token.
  ///
  /// - Parameters:
  ///   - secret: the key that signed it.
  ///   - now: seconds since 1970, against which `exp` and `nbf` are held with a leeway of 30 seconds.
  public init(verifying token: String, secret: String, now: Double) throws(Refusal) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      let header = Self.decode(Header.self, parts[0])?.value,
      let signature = Self.base64URLDecoded(parts[2])
    else { throw .malformed }
    guard header.alg == "HS256" else { throw .unsupportedAlgorithm }
    let expected = Self.signature(of: "\(parts[0]).\(parts[1])", secret: secret)
    // In constant time, so that the answer's delay tells nothing.
    guard signature.count == expected.count, CRYPTO_memcmp(Array(signature), expected, expected.count) == 0 else {
      throw .invalidSignature
    }
    guard let (claims, text) = Self.decode(Claims.self, parts[1]) else { throw .malformed }
    let leeway = 30.0
    if let expiry = claims.exp, now > expiry + leeway { throw .expired }
    if let start = claims.nbf, now < start - leeway { throw .notYetValid }
    self.claims = text
    role = claims.role
  }

  /// Signs claims, a JSON object.
  public static func sign(claims: String, secret: String) -> String {
    let payload =
      base64URLEncoded(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + base64URLEncoded(Array(claims.utf8))
    return payload + "." + base64URLEncoded(signature(of: payload, secret: secret))
  }

  private struct Header: Decodable {
    var alg: String
  }

  private struct Claims: Decodable {
    var role: String?
    var exp: Double?
    var nbf: Double?
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ part: Substring) -> (value: Value, text: String)? {
    guard let data = base64URLDecoded(part), let text = String(validating: data, as: UTF8.self),
      let value = try? JSONDecoder().decode(type, from: data)
    else { return nil }
    return (value, text)
  }

  private static func signature(of text: String, secret: String) -> [UInt8] {
    let (key, message) = (Array(secret.utf8), Array(text.utf8))
    return [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
      var length: UInt32 = 0
      HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, buffer.baseAddress, &length)
      count = Int(length)
    }
  }

  private static func base64URLEncoded(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func base64URLDecoded(_ text: Substring) -> Data? {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
  }
}

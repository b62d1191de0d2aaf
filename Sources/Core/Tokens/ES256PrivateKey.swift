internal import CCrypto
internal import FoundationEssentials
internal import SwiftwaterHTTP

/// A pair of P-256 keys that signs tokens (ES256, RFC 7518 §3.4). Whoever has its public half can verify them.
public struct ES256PrivateKey: Sendable {
  private let key: CryptoKey
  /// What tokens name the key by in `kid`.
  public let identifier: String

  /// Generates a key, named by its thumbprint (RFC 7638).
  public init() throws(JWTKeyError) {
    guard let key = CryptoKey(swiftwater_generate_p256()) else {
      throw JWTKeyError("OpenSSL cannot generate a P-256 key.")
    }
    self.init(key, identifier: nil)
  }

  /// Reads a private JSON Web Key (RFC 7517): kty EC, crv P-256, with `x`, `y`, `d`, and `kid` if it has a name.
  public init(jwk text: String) throws(JWTKeyError) {
    let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    func bytes(_ member: String) -> [UInt8]? {
      value?[member]?.stringValue.flatMap(Base64URL.decode).flatMap { $0.count == 32 ? $0 : nil }
    }
    guard value?["kty"]?.stringValue == "EC", value?["crv"]?.stringValue == "P-256",
      let x = bytes("x"), let y = bytes("y"), let d = bytes("d"),
      let key = CryptoKey(
        ellipticCurvePair: DER.sequence(
          DER.integer([1]), DER.octetString(d), DER.part(0, DER.p256), DER.part(1, DER.bitString([4] + x + y))))
    else { throw JWTKeyError("Not a private JSON Web Key of P-256: kty, crv, x, y and d are needed.") }
    self.init(key, identifier: value?["kid"]?.stringValue)
    // The halves must belong together, or nobody could verify what is signed.
    guard (try? JWTKeySet(publicJWK).keys.first?.verifies(signature(of: []), of: [])) == true else {
      throw JWTKeyError("The private JSON Web Key's d does not belong to its x and y.")
    }
  }

  private init(_ key: CryptoKey, identifier: String?) {
    self.key = key
    let (x, y) = Self.point(key)
    // RFC 7638 §3.2: the members in this order, without spaces.
    self.identifier = identifier ?? Self.hash(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#)
  }

  /// The public half as a JSON Web Key, for a set that others verify with.
  public var publicJWK: String {
    let (x, y) = Self.point(key)
    return #"{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":\#(quotedIdentifier),"x":"\#(x)","y":"\#(y)"}"#
  }

  /// Both halves as a JSON Web Key, for `init(jwk:)`. A secret.
  public var jwk: String {
    let (x, y) = Self.point(key)
    // ECPrivateKey: the sequence's head, version 1 and the octet string's head are seven bytes (RFC 5915 §3).
    let d = Base64URL.encode(key.privateBytes.dropFirst(7).prefix(32))
    return #"{"kty":"EC","crv":"P-256","kid":\#(quotedIdentifier),"x":"\#(x)","y":"\#(y)","d":"\#(d)"}"#
  }

  /// Signs claims, the text of a JSON object.
  public func sign(claims: String) throws(JWTKeyError) -> String {
    let message = JSONWebToken.signingInput(
      head: #"{"alg":"ES256","typ":"JWT","kid":\#(quotedIdentifier)}"#, claims: claims)
    return message + "." + Base64URL.encode(try signature(of: Array(message.utf8)))
  }

  private var quotedIdentifier: String {
    // Encoding a text cannot fail.
    (try? JSONEncoder().encode(identifier)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  private func signature(of message: [UInt8]) throws(JWTKeyError) -> [UInt8] {
    guard let signature = key.signature(of: message), let numbers = Self.numbers(signature) else {
      throw JWTKeyError("OpenSSL cannot sign with the P-256 key.")
    }
    return numbers
  }

  /// The two numbers of OpenSSL's sequence, 32 bytes each. Both are short, so every length is one byte.
  private static func numbers(_ sequence: [UInt8]) -> [UInt8]? {
    var rest = sequence.dropFirst(2)
    var numbers: [UInt8] = []
    for _ in 0..<2 {
      guard rest.popFirst() == 0x02, let count = rest.popFirst(), rest.count >= count else { return nil }
      let digits = rest.prefix(Int(count)).drop { $0 == 0 }
      guard digits.count <= 32 else { return nil }
      numbers += Array(repeating: 0, count: 32 - digits.count) + digits
      rest = rest.dropFirst(Int(count))
    }
    return numbers
  }

  private static func point(_ key: CryptoKey) -> (x: String, y: String) {
    let point = key.publicBytes.suffix(64)
    return (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
  }

  private static func hash(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256(bytes, bytes.count, &digest)
    return Base64URL.encode(digest)
  }
}

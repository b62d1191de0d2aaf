/// A JSON Web Key (RFC 7517).
public struct JWK: Codable, Hashable, Sendable {
  /// The type: `EC`, `RSA` or `oct`.
  public let kty: String
  /// What it is for.
  public let keyOps: [String]?
  /// The algorithm.
  public let alg: String?
  /// Its name.
  public let kid: String?
  /// An RSA key's modulus.
  public let n: String?
  /// An RSA key's exponent.
  public let e: String?
  /// An elliptic curve's name.
  public let crv: String?
  /// A point's first coordinate.
  public let x: String?
  /// A point's second coordinate.
  public let y: String?
  /// A secret.
  public let k: String?

  /// Describes a key.
  public init(
    kty: String, keyOps: [String]? = nil, alg: String? = nil, kid: String? = nil, n: String? = nil, e: String? = nil,
    crv: String? = nil, x: String? = nil, y: String? = nil, k: String? = nil
  ) {
    self.kty = kty
    self.keyOps = keyOps
    self.alg = alg
    self.kid = kid
    self.n = n
    self.e = e
    self.crv = crv
    self.x = x
    self.y = y
    self.k = k
  }

  enum CodingKeys: String, CodingKey {
    case kty, alg, kid, n, e, crv, x, y, k
    case keyOps = "key_ops"
  }
}

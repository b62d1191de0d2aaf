/// The head of a JSON Web Token (RFC 7515 §4).
public struct JWTHeader: Codable, Hashable, Sendable {
  /// The algorithm of the signature.
  public let alg: String
  /// The name of the key.
  public let kid: String?
  /// The type, `JWT`.
  public let typ: String?

  /// Describes a head.
  public init(alg: String, kid: String? = nil, typ: String? = nil) {
    self.alg = alg
    self.kid = kid
    self.typ = typ
  }
}

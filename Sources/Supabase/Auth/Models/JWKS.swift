/// A set of JSON Web Keys (RFC 7517 §5).
public struct JWKS: Codable, Hashable, Sendable {
  /// The keys.
  public let keys: [JWK]

  /// Joins keys.
  public init(keys: [JWK]) {
    self.keys = keys
  }
}

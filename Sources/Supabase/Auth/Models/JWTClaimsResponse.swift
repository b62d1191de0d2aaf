public import FoundationEssentials

/// What a token claims, after its signature was verified.
public struct JWTClaimsResponse: Sendable {
  /// The claims.
  public let claims: JWTClaims
  /// The head.
  public let header: JWTHeader
  /// The signature.
  public let signature: Data

  /// Describes a token.
  public init(claims: JWTClaims, header: JWTHeader, signature: Data) {
    self.claims = claims
    self.header = header
    self.signature = signature
  }
}

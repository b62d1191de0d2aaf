/// How a token is verified.
public struct GetClaimsOptions: Sendable {
  /// Whether a token that has expired is accepted.
  public let allowExpired: Bool
  /// Keys that are known already; those of the server unless they fit.
  public let jwks: JWKS?

  /// The token must not have expired, and the server's keys decide, unless told otherwise.
  public init(allowExpired: Bool = false, jwks: JWKS? = nil) {
    self.allowExpired = allowExpired
    self.jwks = jwks
  }
}

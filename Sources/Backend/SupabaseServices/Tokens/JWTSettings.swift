/// Which tokens a service believes and what it reads from them.
public struct JWTSettings: Sendable {
  /// The keys that sign them; nil to believe none, so that every caller with a token is refused.
  public var keys: JWTKeySet?
  /// What `aud` must be or contain where a token has it; nil to accept any.
  public var audience: String?
  /// Where the role stands among the claims.
  public var rolePath: JWTClaimPath
  /// How many verified tokens are remembered, so that a token is verified once and not with each request; 0 for none.
  public var cachedTokens: Int

  /// Any audience and the claim `role` unless told otherwise.
  public init(
    keys: JWTKeySet?, audience: String? = nil, rolePath: JWTClaimPath = .role, cachedTokens: Int = 1000
  ) {
    self.keys = keys
    self.audience = audience
    self.rolePath = rolePath
    self.cachedTokens = cachedTokens
  }
}

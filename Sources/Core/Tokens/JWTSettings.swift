/// Which tokens are to be believed.
public struct JWTSettings: Sendable {
  /// The keys that sign them; nil to believe none, so that every caller with a token is refused.
  public var keys: JWTKeySet?
  /// What `aud` must be or contain where a token has it; nil to accept any.
  public var audience: String?
  /// By how many seconds the clocks of who issues and who verifies may differ.
  public var leeway: Double
  /// How many verified tokens are remembered, so that a token is verified once and not with each request; 0 for none.
  public var cachedTokens: Int

  /// Any audience, and half a minute between the clocks, unless told otherwise.
  public init(
    keys: JWTKeySet?, audience: String? = nil, leeway: Double = 30, cachedTokens: Int = 1000
  ) {
    self.keys = keys
    self.audience = audience
    self.leeway = leeway
    self.cachedTokens = cachedTokens
  }
}

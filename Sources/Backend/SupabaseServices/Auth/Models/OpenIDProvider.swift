/// An OpenID provider that users may sign in with (OpenID Connect Core 1.0).
public struct OpenIDProvider: Sendable {
  /// The provider's address, below which `/.well-known/openid-configuration` describes it.
  public var issuer: String
  /// What the provider knows this backend by.
  public var clientID: String
  /// The secret that goes with it. Never logged.
  public var clientSecret: String
  /// What is asked for besides `openid`.
  public var scopes: [String] = ["email", "profile"]
  /// Further clients whose ID tokens are taken by `grant_type=id_token`, such as those of apps.
  public var furtherClientIDs: [String] = []
  /// Whether ID tokens are taken without the nonce that was sent.
  public var skipsNonceCheck = false

  /// Describes a provider.
  public init(issuer: String, clientID: String, clientSecret: String) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
  }
}

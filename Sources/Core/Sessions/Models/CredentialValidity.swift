public import FoundationEssentials

/// How long a credential is good, as its server says.
public struct CredentialValidity: Sendable, Hashable {
  /// When it expires, by the server's clock.
  public var expiresAt: Date
  /// How long it was good when it was issued.
  ///
  /// A credential that has just been renewed is counted from its arrival by this, and one from the store is never taken
  /// to be good for longer: so a wrong clock on this side costs one needless refresh at most.
  public var lifetime: Duration

  /// Describes a validity.
  public init(expiresAt: Date, lifetime: Duration) {
    self.expiresAt = expiresAt
    self.lifetime = lifetime
  }
}

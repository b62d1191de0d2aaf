public import FoundationEssentials

/// A signed-in user's tokens and what the server knew of the user when it issued them.
///
/// Descriptions and mirrors leave the tokens out.
public struct Session: Codable, Hashable, Sendable {
  /// The token of the provider that the user has signed in with, for that provider's own interface.
  public var providerToken: String?
  /// What renews `providerToken` at the provider, where it gives one.
  public var providerRefreshToken: String?
  /// The token of requests: a JSON Web Token.
  public var accessToken: String
  /// How the access token is sent: `bearer`.
  public var tokenType: String
  /// How many seconds the access token was good when it was issued.
  public var expiresIn: TimeInterval
  /// When the access token expires by the server's clock, in seconds since 1970.
  public var expiresAt: TimeInterval
  /// What renews the session, once.
  public var refreshToken: String
  /// Why the password that was signed in with should be changed; nil if it need not.
  public var weakPassword: WeakPassword?
  /// The user.
  public var user: User

  /// Describes a session.
  public init(
    providerToken: String? = nil, providerRefreshToken: String? = nil, accessToken: String, tokenType: String,
    expiresIn: TimeInterval, expiresAt: TimeInterval, refreshToken: String, weakPassword: WeakPassword? = nil,
    user: User
  ) {
    self.providerToken = providerToken
    self.providerRefreshToken = providerRefreshToken
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn
    self.expiresAt = expiresAt
    self.refreshToken = refreshToken
    self.weakPassword = weakPassword
    self.user = user
  }

  enum CodingKeys: String, CodingKey {
    case user
    case providerToken = "provider_token"
    case providerRefreshToken = "provider_refresh_token"
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case expiresAt = "expires_at"
    case refreshToken = "refresh_token"
    case weakPassword = "weak_password"
  }

  /// Reads one; members that servers leave out have defaults.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    providerToken = try container.decodeIfPresent(String.self, forKey: .providerToken)
    providerRefreshToken = try container.decodeIfPresent(String.self, forKey: .providerRefreshToken)
    accessToken = try container.decode(String.self, forKey: .accessToken)
    tokenType = try container.decode(String.self, forKey: .tokenType)
    expiresIn = try container.decode(TimeInterval.self, forKey: .expiresIn)
    expiresAt =
      try container.decodeIfPresent(TimeInterval.self, forKey: .expiresAt) ?? Date().timeIntervalSince1970 + expiresIn
    refreshToken = try container.decode(String.self, forKey: .refreshToken)
    weakPassword = try container.decodeIfPresent(WeakPassword.self, forKey: .weakPassword)
    user = try container.decode(User.self, forKey: .user)
  }

  /// Whether the access token has expired, or does so within 30 seconds, by this device's clock.
  public var isExpired: Bool { expiresAt - Date().timeIntervalSince1970 < 30 }
}

extension Session: CustomStringConvertible, CustomReflectable {
  /// The user's identifier and when the session expires.
  public var description: String { "Session(user: \(user.id), expiresAt: \(expiresAt))" }

  /// A mirror that shows the user and the times.
  public var customMirror: Mirror {
    Mirror(self, children: ["user": user, "expiresIn": expiresIn, "expiresAt": expiresAt])
  }
}

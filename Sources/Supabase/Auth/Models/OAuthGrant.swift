public import FoundationEssentials

/// What a user has granted to an app.
public struct OAuthGrant: Codable, Hashable, Sendable {
  /// The app.
  public let client: OAuthAuthorizationClient
  /// What was granted.
  public let scopes: [String]
  /// When.
  public let grantedAt: Date

  /// Describes a grant.
  public init(client: OAuthAuthorizationClient, scopes: [String], grantedAt: Date) {
    self.client = client
    self.scopes = scopes
    self.grantedAt = grantedAt
  }

  enum CodingKeys: String, CodingKey {
    case client, scopes
    case grantedAt = "granted_at"
  }
}

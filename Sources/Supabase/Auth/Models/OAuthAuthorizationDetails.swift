public import FoundationEssentials

/// What an app asks for, to be shown to the user.
public struct OAuthAuthorizationDetails: Codable, Hashable, Sendable {
  /// The request's identifier.
  public let authorizationId: String
  /// Where the app is told.
  public let redirectUri: URL
  /// The app.
  public let client: OAuthAuthorizationClient
  /// The user.
  public let user: OAuthAuthorizationUser
  /// What it asks for, separated by spaces.
  public let scope: String

  /// Describes a request.
  public init(
    authorizationId: String, redirectUri: URL, client: OAuthAuthorizationClient, user: OAuthAuthorizationUser,
    scope: String
  ) {
    self.authorizationId = authorizationId
    self.redirectUri = redirectUri
    self.client = client
    self.user = user
    self.scope = scope
  }

  enum CodingKeys: String, CodingKey {
    case client, user, scope
    case authorizationId = "authorization_id"
    case redirectUri = "redirect_uri"
  }
}

/// What changes of an OAuth client; what is nil stays.
public struct UpdateOAuthClientParams: Encodable, Hashable, Sendable {
  /// Its name.
  public let clientName: String?
  /// Its home page.
  public let clientUri: String?
  /// Its logo.
  public let logoUri: String?
  /// Where users may be sent back to.
  public let redirectUris: [String]?
  /// How it gets tokens.
  public let grantTypes: [OAuthClientGrantType]?

  /// Describes a change.
  public init(
    clientName: String? = nil, clientUri: String? = nil, logoUri: String? = nil, redirectUris: [String]? = nil,
    grantTypes: [OAuthClientGrantType]? = nil
  ) {
    self.clientName = clientName
    self.clientUri = clientUri
    self.logoUri = logoUri
    self.redirectUris = redirectUris
    self.grantTypes = grantTypes
  }

  enum CodingKeys: String, CodingKey {
    case clientName = "client_name"
    case clientUri = "client_uri"
    case logoUri = "logo_uri"
    case redirectUris = "redirect_uris"
    case grantTypes = "grant_types"
  }
}

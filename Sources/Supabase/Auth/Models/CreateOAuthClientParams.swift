/// A new OAuth client.
public struct CreateOAuthClientParams: Encodable, Hashable, Sendable {
  /// Its name.
  public let clientName: String
  /// Its home page.
  public let clientUri: String?
  /// Where users may be sent back to.
  public let redirectUris: [String]
  /// How it gets tokens; both ways unless given.
  public let grantTypes: [OAuthClientGrantType]?
  /// What authorizations answer with; a code unless given.
  public let responseTypes: [OAuthClientResponseType]?
  /// What it may ask for.
  public let scope: String?

  /// Describes a client.
  public init(
    clientName: String, clientUri: String? = nil, redirectUris: [String], grantTypes: [OAuthClientGrantType]? = nil,
    responseTypes: [OAuthClientResponseType]? = nil, scope: String? = nil
  ) {
    self.clientName = clientName
    self.clientUri = clientUri
    self.redirectUris = redirectUris
    self.grantTypes = grantTypes
    self.responseTypes = responseTypes
    self.scope = scope
  }

  enum CodingKeys: String, CodingKey {
    case scope
    case clientName = "client_name"
    case clientUri = "client_uri"
    case redirectUris = "redirect_uris"
    case grantTypes = "grant_types"
    case responseTypes = "response_types"
  }
}

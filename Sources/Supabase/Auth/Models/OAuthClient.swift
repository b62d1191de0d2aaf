public import FoundationEssentials

/// An app that is registered for signing in with this project (RFC 7591).
public struct OAuthClient: Codable, Hashable, Sendable {
  /// The client's identifier.
  public let clientId: UUID
  /// Its name.
  public let clientName: String
  /// Its secret; only right after it was made.
  public let clientSecret: String?
  /// Whether it can keep a secret.
  public let clientType: OAuthClientType
  /// How it proves who it is.
  public let tokenEndpointAuthMethod: String
  /// How it was registered.
  public let registrationType: OAuthClientRegistrationType
  /// Its home page.
  public let clientUri: String?
  /// Its logo.
  public let logoUri: String?
  /// Where users may be sent back to.
  public let redirectUris: [String]
  /// How it gets tokens.
  public let grantTypes: [OAuthClientGrantType]
  /// What authorizations answer with.
  public let responseTypes: [OAuthClientResponseType]
  /// What it may ask for.
  public let scope: String?
  /// When it was registered.
  public let createdAt: Date
  /// When it was last changed.
  public let updatedAt: Date

  /// Describes a client.
  public init(
    clientId: UUID, clientName: String, clientSecret: String? = nil, clientType: OAuthClientType,
    tokenEndpointAuthMethod: String, registrationType: OAuthClientRegistrationType, clientUri: String? = nil,
    logoUri: String? = nil, redirectUris: [String], grantTypes: [OAuthClientGrantType],
    responseTypes: [OAuthClientResponseType], scope: String? = nil, createdAt: Date, updatedAt: Date
  ) {
    self.clientId = clientId
    self.clientName = clientName
    self.clientSecret = clientSecret
    self.clientType = clientType
    self.tokenEndpointAuthMethod = tokenEndpointAuthMethod
    self.registrationType = registrationType
    self.clientUri = clientUri
    self.logoUri = logoUri
    self.redirectUris = redirectUris
    self.grantTypes = grantTypes
    self.responseTypes = responseTypes
    self.scope = scope
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  enum CodingKeys: String, CodingKey {
    case scope
    case clientId = "client_id"
    case clientName = "client_name"
    case clientSecret = "client_secret"
    case clientType = "client_type"
    case tokenEndpointAuthMethod = "token_endpoint_auth_method"
    case registrationType = "registration_type"
    case clientUri = "client_uri"
    case logoUri = "logo_uri"
    case redirectUris = "redirect_uris"
    case grantTypes = "grant_types"
    case responseTypes = "response_types"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
  }

  /// Reads one; members that servers leave out have defaults.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    clientId = try container.decode(UUID.self, forKey: .clientId)
    clientName = try container.decode(String.self, forKey: .clientName)
    clientSecret = try container.decodeIfPresent(String.self, forKey: .clientSecret)
    clientType = try container.decode(OAuthClientType.self, forKey: .clientType)
    tokenEndpointAuthMethod = try container.decodeIfPresent(String.self, forKey: .tokenEndpointAuthMethod) ?? ""
    registrationType = try container.decode(OAuthClientRegistrationType.self, forKey: .registrationType)
    clientUri = try container.decodeIfPresent(String.self, forKey: .clientUri)
    logoUri = try container.decodeIfPresent(String.self, forKey: .logoUri)
    redirectUris = try container.decode([String].self, forKey: .redirectUris)
    grantTypes = try container.decode([OAuthClientGrantType].self, forKey: .grantTypes)
    responseTypes = try container.decode([OAuthClientResponseType].self, forKey: .responseTypes)
    scope = try container.decodeIfPresent(String.self, forKey: .scope)
    createdAt = try container.decode(Date.self, forKey: .createdAt)
    updatedAt = try container.decode(Date.self, forKey: .updatedAt)
  }
}

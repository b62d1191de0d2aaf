public import FoundationEssentials

/// The app that asks for access.
public struct OAuthAuthorizationClient: Codable, Hashable, Sendable {
  /// The client's identifier.
  public let id: UUID
  /// Its name.
  public let name: String
  /// Its home page.
  public let uri: URL?
  /// Its logo.
  public let logoUri: URL?

  /// Describes a client.
  public init(id: UUID, name: String, uri: URL? = nil, logoUri: URL? = nil) {
    self.id = id
    self.name = name
    self.uri = uri
    self.logoUri = logoUri
  }

  enum CodingKeys: String, CodingKey {
    case id, name, uri
    case logoUri = "logo_uri"
  }
}

public import FoundationEssentials
public import Helpers

/// An identity provider for single sign-on.
public struct SSOProvider: Decodable, Hashable, Identifiable, Sendable {
  /// The provider's identifier.
  public let id: String
  /// What is known of it by SAML, such as `entity_id` and `metadata_url`, as the server tells it.
  public let saml: JSONValue?
  /// The domains whose users sign in with it, as the server tells them.
  public let domains: [JSONValue]?
  /// When it was added.
  public let createdAt: Date?
  /// When it was last changed.
  public let updatedAt: Date?

  enum CodingKeys: String, CodingKey {
    case id, saml, domains
    case createdAt = "created_at"
    case updatedAt = "updated_at"
  }
}

public import FoundationEssentials

/// The user whom an app asks for access.
public struct OAuthAuthorizationUser: Codable, Hashable, Sendable {
  /// The user's identifier.
  public let id: UUID
  /// The address.
  public let email: String

  /// Describes a user.
  public init(id: UUID, email: String) {
    self.id = id
    self.email = email
  }

  /// Reads one; members that servers leave out have defaults.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UUID.self, forKey: .id)
    email = try container.decodeIfPresent(String.self, forKey: .email) ?? ""
  }
}

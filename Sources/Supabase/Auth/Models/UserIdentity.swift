public import FoundationEssentials
public import Helpers

/// One way in which a user can sign in: an account at a provider, an address or a number.
public struct UserIdentity: Codable, Hashable, Identifiable, Sendable {
  /// The account's identifier at the provider.
  public var id: String
  /// The identity's own identifier.
  public var identityId: UUID
  /// The user's identifier.
  public var userId: UUID
  /// What the provider has told of the account.
  public var identityData: [String: JSONValue]?
  /// The provider's name.
  public var provider: String
  /// When the identity was linked.
  public var createdAt: Date?
  /// When it was last signed in with.
  public var lastSignInAt: Date?
  /// When it was last changed.
  public var updatedAt: Date?

  /// Describes an identity.
  public init(
    id: String, identityId: UUID, userId: UUID, identityData: [String: JSONValue]? = nil, provider: String,
    createdAt: Date? = nil, lastSignInAt: Date? = nil, updatedAt: Date? = nil
  ) {
    self.id = id
    self.identityId = identityId
    self.userId = userId
    self.identityData = identityData
    self.provider = provider
    self.createdAt = createdAt
    self.lastSignInAt = lastSignInAt
    self.updatedAt = updatedAt
  }

  enum CodingKeys: String, CodingKey {
    case id, provider
    case identityId = "identity_id"
    case userId = "user_id"
    case identityData = "identity_data"
    case createdAt = "created_at"
    case lastSignInAt = "last_sign_in_at"
    case updatedAt = "updated_at"
  }

  /// Reads one; members that servers leave out have defaults.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    identityId =
      try container.decodeIfPresent(UUID.self, forKey: .identityId) ?? .zero
    userId = try container.decode(UUID.self, forKey: .userId)
    identityData = try container.decodeIfPresent([String: JSONValue].self, forKey: .identityData)
    provider = try container.decode(String.self, forKey: .provider)
    createdAt = try container.decodeIfPresent(Date.self, forKey: .createdAt)
    lastSignInAt = try container.decodeIfPresent(Date.self, forKey: .lastSignInAt)
    updatedAt = try container.decodeIfPresent(Date.self, forKey: .updatedAt)
  }
}

extension UUID {
  /// What stands for an identifier that old servers do not give.
  fileprivate static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

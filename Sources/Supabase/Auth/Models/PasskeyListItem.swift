public import FoundationEssentials

/// A passkey of a user.
public struct PasskeyListItem: Codable, Hashable, Identifiable, Sendable {
  /// The passkey's identifier.
  public let id: String
  /// What the user calls it.
  public let friendlyName: String?
  /// When it was registered.
  public let createdAt: Date
  /// When it was last used.
  public let lastUsedAt: Date?

  /// Describes a passkey.
  public init(id: String, friendlyName: String? = nil, createdAt: Date, lastUsedAt: Date? = nil) {
    self.id = id
    self.friendlyName = friendlyName
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }

  enum CodingKeys: String, CodingKey {
    case id
    case friendlyName = "friendly_name"
    case createdAt = "created_at"
    case lastUsedAt = "last_used_at"
  }
}

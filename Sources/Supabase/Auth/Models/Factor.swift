public import FoundationEssentials

/// A second factor of a user.
public struct Factor: Codable, Hashable, Identifiable, Sendable {
  /// The factor's identifier.
  public let id: String
  /// What the user calls it.
  public let friendlyName: String?
  /// The kind of factor.
  public let factorType: FactorType
  /// Whether it has been proven.
  public let status: FactorStatus
  /// When it was enrolled.
  public let createdAt: Date
  /// When it was last changed.
  public let updatedAt: Date

  /// Describes a factor.
  public init(
    id: String, friendlyName: String? = nil, factorType: FactorType, status: FactorStatus, createdAt: Date,
    updatedAt: Date
  ) {
    self.id = id
    self.friendlyName = friendlyName
    self.factorType = factorType
    self.status = status
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  enum CodingKeys: String, CodingKey {
    case id, status
    case friendlyName = "friendly_name"
    case factorType = "factor_type"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
  }
}

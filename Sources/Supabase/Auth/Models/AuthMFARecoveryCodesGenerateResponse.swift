/// A new set of recovery codes, which nobody shows again.
public struct AuthMFARecoveryCodesGenerateResponse: Decodable, Hashable, Sendable {
  /// The factor's identifier.
  public let id: String?
  /// What the factor is called.
  public let friendlyName: String?
  /// The codes.
  public let codes: [String]

  /// Describes the codes.
  public init(id: String? = nil, friendlyName: String? = nil, codes: [String]) {
    self.id = id
    self.friendlyName = friendlyName
    self.codes = codes
  }

  enum CodingKeys: String, CodingKey {
    case id, codes
    case friendlyName = "friendly_name"
  }
}

/// Why a password is weak.
public struct WeakPassword: Codable, Hashable, Sendable {
  /// Any of `length`, `characters` and `pwned`.
  public let reasons: [String]

  /// Describes a weak password.
  public init(reasons: [String]) {
    self.reasons = reasons
  }

  /// Reads one; members that servers leave out have defaults.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    reasons = try container.decodeIfPresent([String].self, forKey: .reasons) ?? []
  }
}

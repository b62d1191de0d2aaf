/// How many recovery codes are left.
public struct AuthMFARecoveryCodesStatusResponse: Decodable, Hashable, Sendable {
  /// The factor's identifier.
  public let id: String?
  /// How many there were.
  public let total: Int
  /// How many have not been used.
  public let remaining: Int

  /// Describes the codes.
  public init(id: String? = nil, total: Int, remaining: Int) {
    self.id = id
    self.total = total
    self.remaining = remaining
  }
}

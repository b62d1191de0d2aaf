/// Whether a second factor has been proven; open to states that are not listed here.
public struct FactorStatus: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The user has proven to have it, and signing in asks for it.
  public static let verified: FactorStatus = "verified"
  /// It was enrolled, but not proven yet.
  public static let unverified: FactorStatus = "unverified"
}

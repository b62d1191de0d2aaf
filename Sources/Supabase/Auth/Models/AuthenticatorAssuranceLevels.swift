/// How well a session is assured; open to levels that are not listed here.
public struct AuthenticatorAssuranceLevels: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// By one factor.
  public static let aal1: AuthenticatorAssuranceLevels = "aal1"
  /// By two factors.
  public static let aal2: AuthenticatorAssuranceLevels = "aal2"
}

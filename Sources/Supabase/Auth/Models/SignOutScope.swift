/// Which sessions of the user a sign-out ends; open to scopes that are not listed here.
public struct SignOutScope: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// All of them, on all devices.
  public static let global: SignOutScope = "global"
  /// This one.
  public static let local: SignOutScope = "local"
  /// All but this one, which stays: no event is told.
  public static let others: SignOutScope = "others"
}

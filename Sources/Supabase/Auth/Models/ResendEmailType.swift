/// Which mail is sent again; open to kinds that are not listed here.
public struct ResendEmailType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The confirmation of a new user.
  public static let signup: ResendEmailType = "signup"
  /// The confirmation of a new address.
  public static let emailChange: ResendEmailType = "email_change"
}

/// What a code from a message proves; open to kinds that are not listed here.
public struct MobileOTPType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The number of a sign-in.
  public static let sms: MobileOTPType = "sms"
  /// A new number of a user.
  public static let phoneChange: MobileOTPType = "phone_change"
}

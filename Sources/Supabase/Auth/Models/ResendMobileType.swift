/// Which message is sent again; open to kinds that are not listed here.
public struct ResendMobileType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The code of a sign-up or sign-in.
  public static let sms: ResendMobileType = "sms"
  /// The code for a new number.
  public static let phoneChange: ResendMobileType = "phone_change"
}

/// What a code from a mail proves; open to kinds that are not listed here.
public struct EmailOTPType: RawRepresentable, Codable, Sendable, Hashable, CaseIterable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The address of a new user.
  public static let signup: EmailOTPType = "signup"
  /// The address of an invited user.
  public static let invite: EmailOTPType = "invite"
  /// The address of a sign-in by link.
  public static let magiclink: EmailOTPType = "magiclink"
  /// The address of a user who has lost the password.
  public static let recovery: EmailOTPType = "recovery"
  /// A new address of a user.
  public static let emailChange: EmailOTPType = "email_change"
  /// An address, for whatever it was sent.
  public static let email: EmailOTPType = "email"

  /// The kinds that are known.
  public static let allCases: [EmailOTPType] = [.signup, .invite, .magiclink, .recovery, .emailChange, .email]
}

/// What a generated link is for; open to kinds that are not listed here.
public struct GenerateLinkType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Confirming a new user.
  public static let signup: GenerateLinkType = "signup"
  /// Inviting a user.
  public static let invite: GenerateLinkType = "invite"
  /// Signing in.
  public static let magiclink: GenerateLinkType = "magiclink"
  /// A user who has lost the password.
  public static let recovery: GenerateLinkType = "recovery"
  /// Confirming a change at the current address.
  public static let emailChangeCurrent: GenerateLinkType = "email_change_current"
  /// Confirming a change at the new address.
  public static let emailChangeNew: GenerateLinkType = "email_change_new"
}

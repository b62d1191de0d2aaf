/// What has happened to the session; open to events that are not listed here.
///
/// Events are equal if they have the same name, whatever their ``signOutReason``.
public struct AuthChangeEvent: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The event's name.
  public let rawValue: String
  /// Why there is no session; nil where there is one.
  public let signOutReason: SignOutReason?

  /// Takes any name.
  public init(rawValue: String) { self.init(rawValue, signOutReason: nil) }

  /// Takes any name.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  init(_ rawValue: String, signOutReason: SignOutReason?) {
    self.rawValue = rawValue
    self.signOutReason = signOutReason
  }

  /// Tells each consumer first what there is, also if the session has expired.
  public static let initialSession: AuthChangeEvent = "INITIAL_SESSION"
  /// A user has followed the link for a lost password: ask for a new one.
  public static let passwordRecovery: AuthChangeEvent = "PASSWORD_RECOVERY"
  /// A user has signed in.
  public static let signedIn: AuthChangeEvent = "SIGNED_IN"
  /// The session has ended; `signOutReason` tells why.
  public static let signedOut: AuthChangeEvent = "SIGNED_OUT"
  /// The session has new tokens.
  public static let tokenRefreshed: AuthChangeEvent = "TOKEN_REFRESHED"
  /// What is known about the user has changed.
  public static let userUpdated: AuthChangeEvent = "USER_UPDATED"
  /// The user was deleted.
  public static let userDeleted: AuthChangeEvent = "USER_DELETED"
  /// The user has proven a second factor.
  public static let mfaChallengeVerified: AuthChangeEvent = "MFA_CHALLENGE_VERIFIED"

  /// Whether they have the same name.
  public static func == (left: AuthChangeEvent, right: AuthChangeEvent) -> Bool { left.rawValue == right.rawValue }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

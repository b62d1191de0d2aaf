/// Why there is no session; open to reasons that are not listed here.
public struct SignOutReason: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The reason's name.
  public let rawValue: String
  /// What the server has said when it refused to renew the session, or why the storage could not be read; nil
  /// otherwise.
  public let error: AuthError?

  /// Takes any name.
  public init(rawValue: String, error: AuthError? = nil) {
    self.rawValue = rawValue
    self.error = error
  }

  /// Takes any name.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// This program has signed out.
  public static let userInitiated: SignOutReason = "user-initiated"
  /// The server has refused to renew the session: it was revoked, has expired, or the user is gone.
  public static let sessionExpired: SignOutReason = "session-expired"
  /// Nobody was signed in, or another process has signed out.
  public static let sessionMissing: SignOutReason = "session-missing"
  /// The storage cannot be read, so it is not known whether somebody is signed in. When it can be read again, a
  /// `SIGNED_IN` follows if somebody is.
  public static let storageUnreadable: SignOutReason = "storage-unreadable"

  /// The name.
  public var description: String { rawValue }

  /// Whether they have the same name.
  public static func == (left: SignOutReason, right: SignOutReason) -> Bool { left.rawValue == right.rawValue }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

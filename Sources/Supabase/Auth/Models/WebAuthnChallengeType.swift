/// What an authenticator is asked to do; open to ceremonies that are not listed here.
public struct WebAuthnChallengeType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Create a credential.
  public static let create: WebAuthnChallengeType = "create"
  /// Prove to have one.
  public static let request: WebAuthnChallengeType = "request"
}

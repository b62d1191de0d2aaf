/// How an OAuth client was registered; open to ways that are not listed here.
public struct OAuthClientRegistrationType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// By itself (RFC 7591).
  public static let dynamic: OAuthClientRegistrationType = "dynamic"
  /// By an administrator.
  public static let manual: OAuthClientRegistrationType = "manual"
}

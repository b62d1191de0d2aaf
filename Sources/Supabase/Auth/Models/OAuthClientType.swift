/// Whether an OAuth client can keep a secret (RFC 6749 §2.1); open to types that are not listed here.
public struct OAuthClientType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// It cannot: an app, or a page in a browser.
  public static let `public`: OAuthClientType = "public"
  /// It can: a server.
  public static let confidential: OAuthClientType = "confidential"
}

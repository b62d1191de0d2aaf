/// How an OAuth client gets tokens (RFC 7591); open to ways that are not listed here.
public struct OAuthClientGrantType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// For a code that the user has granted.
  public static let authorizationCode: OAuthClientGrantType = "authorization_code"
  /// For a refresh token.
  public static let refreshToken: OAuthClientGrantType = "refresh_token"
}

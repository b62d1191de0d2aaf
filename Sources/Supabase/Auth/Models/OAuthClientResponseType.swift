/// What an authorization answers with (RFC 7591); open to answers that are not listed here.
public struct OAuthClientResponseType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// A code.
  public static let code: OAuthClientResponseType = "code"
}

/// A token of a provider that knows the user.
public struct OpenIDConnectCredentials: Codable, Hashable, Sendable {
  /// Who has issued it.
  public var provider: Provider
  /// The token (OpenID Connect Core §2).
  public var idToken: String
  /// The provider's access token, where the ID token has an `at_hash`.
  public var accessToken: String?
  /// The nonce whose hash the ID token carries, as it was.
  public var nonce: String?
  /// The proof that a person is at work.
  public var gotrueMetaSecurity: AuthMetaSecurity?

  /// Takes a token.
  public init(
    provider: Provider, idToken: String, accessToken: String? = nil, nonce: String? = nil,
    gotrueMetaSecurity: AuthMetaSecurity? = nil
  ) {
    self.provider = provider
    self.idToken = idToken
    self.accessToken = accessToken
    self.nonce = nonce
    self.gotrueMetaSecurity = gotrueMetaSecurity
  }

  enum CodingKeys: String, CodingKey {
    case provider, nonce
    case idToken = "id_token"
    case accessToken = "access_token"
    case gotrueMetaSecurity = "gotrue_meta_security"
  }

  /// A provider of ID tokens; open to providers that are not listed here, such as an issuer's URL.
  public struct Provider: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The provider's name, or its `iss`.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Takes any name.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// Google.
    public static let google: Provider = "google"
    /// Apple.
    public static let apple: Provider = "apple"
    /// Microsoft Entra ID.
    public static let azure: Provider = "azure"
    /// Facebook.
    public static let facebook: Provider = "facebook"
    /// Kakao.
    public static let kakao: Provider = "kakao"
  }
}

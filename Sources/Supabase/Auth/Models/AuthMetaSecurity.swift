/// The proof that a person is at work.
public struct AuthMetaSecurity: Codable, Hashable, Sendable {
  /// What the captcha has given.
  public var captchaToken: String

  /// Takes the token.
  public init(captchaToken: String) {
    self.captchaToken = captchaToken
  }

  enum CodingKeys: String, CodingKey {
    case captchaToken = "captcha_token"
  }
}

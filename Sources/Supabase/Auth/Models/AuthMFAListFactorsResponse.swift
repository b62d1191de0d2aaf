/// The user's second factors.
public struct AuthMFAListFactorsResponse: Decodable, Hashable, Sendable {
  /// All of them.
  public let all: [Factor]
  /// The proven authenticator apps.
  public let totp: [Factor]
  /// The proven phones.
  public let phone: [Factor]
  /// The proven passkeys and security keys.
  public let webauthn: [Factor]

  /// Describes the factors.
  public init(all: [Factor], totp: [Factor], phone: [Factor], webauthn: [Factor]) {
    self.all = all
    self.totp = totp
    self.phone = phone
    self.webauthn = webauthn
  }
}

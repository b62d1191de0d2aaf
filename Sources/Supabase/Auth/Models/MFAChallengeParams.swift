/// Which second factor is to be proven.
public struct MFAChallengeParams: Hashable, Sendable {
  /// The factor's identifier.
  public let factorId: String
  /// How a code reaches the phone; nil for the project's own choice, and for other factors.
  public let channel: MessagingChannel?
  /// The site that a passkey is for; nil for other factors.
  public let webAuthn: WebAuthnChallengeOptions?

  /// Names a factor.
  public init(factorId: String, channel: MessagingChannel? = nil, webAuthn: WebAuthnChallengeOptions? = nil) {
    self.factorId = factorId
    self.channel = channel
    self.webAuthn = webAuthn
  }
}

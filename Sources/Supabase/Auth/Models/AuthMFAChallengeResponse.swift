public import FoundationEssentials

/// A challenge that a second factor is to be proven with.
public struct AuthMFAChallengeResponse: Decodable, Hashable, Sendable {
  /// The challenge's identifier, for the verification.
  public let id: String
  /// The kind of factor.
  public let type: FactorType
  /// When the challenge expires, in seconds since 1970.
  public let expiresAt: TimeInterval
  /// What the authenticator is asked; nil for other factors.
  public var webauthn: WebAuthnChallengeResponseData?

  /// Describes a challenge.
  public init(
    id: String, type: FactorType, expiresAt: TimeInterval, webauthn: WebAuthnChallengeResponseData? = nil
  ) {
    self.id = id
    self.type = type
    self.expiresAt = expiresAt
    self.webauthn = webauthn
  }

  private enum CodingKeys: String, CodingKey {
    case id, type, webauthn
    case expiresAt = "expires_at"
  }

  /// Reads one; old servers do not tell the kind of factor, as they knew only one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    type = try container.decodeIfPresent(FactorType.self, forKey: .type) ?? .totp
    expiresAt = try container.decode(TimeInterval.self, forKey: .expiresAt)
    webauthn = try container.decodeIfPresent(WebAuthnChallengeResponseData.self, forKey: .webauthn)
  }
}

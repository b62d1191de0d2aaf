public import FoundationEssentials
public import Helpers

/// How to create a passkey.
public struct PasskeyRegistrationOptions: Decodable, Hashable, Sendable {
  /// The challenge's identifier, for the verification.
  public let challengeId: String
  /// The options for the authenticator (WebAuthn §5.4), as they came.
  public let options: JSONValue
  /// When the challenge expires, in seconds since 1970.
  public let expiresAt: TimeInterval

  /// Describes a challenge.
  public init(challengeId: String, options: JSONValue, expiresAt: TimeInterval) {
    self.challengeId = challengeId
    self.options = options
    self.expiresAt = expiresAt
  }

  enum CodingKeys: String, CodingKey {
    case options
    case challengeId = "challenge_id"
    case expiresAt = "expires_at"
  }
}

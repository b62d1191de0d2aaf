public import Helpers

/// What an authenticator is asked.
public struct WebAuthnChallengeResponseData: Decodable, Hashable, Sendable {
  /// The ceremony.
  public let type: WebAuthnChallengeType
  /// The options for the authenticator (WebAuthn §5.4, §5.5), as they came.
  public let credentialOptions: JSONValue

  /// Describes the question.
  public init(type: WebAuthnChallengeType, credentialOptions: JSONValue) {
    self.type = type
    self.credentialOptions = credentialOptions
  }

  enum CodingKeys: String, CodingKey {
    case type
    case credentialOptions = "credential_options"
  }
}

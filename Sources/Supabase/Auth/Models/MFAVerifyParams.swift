public import Helpers

/// The proof of a second factor.
public struct MFAVerifyParams: Hashable, Sendable {
  /// The factor's identifier.
  public let factorId: String
  /// The challenge's identifier.
  public let challengeId: String
  /// The code that the user has typed; empty for a passkey.
  public let code: String
  /// What the authenticator has answered (WebAuthn §5.1); nil for a code.
  public let credentialResponse: JSONValue?

  /// Proves an authenticator app or a phone by a code.
  public init(factorId: String, challengeId: String, code: String) {
    self.factorId = factorId
    self.challengeId = challengeId
    self.code = code
    credentialResponse = nil
  }

  /// Proves a passkey or security key by what the authenticator has answered.
  public init(factorId: String, challengeId: String, credentialResponse: JSONValue) {
    self.factorId = factorId
    self.challengeId = challengeId
    code = ""
    self.credentialResponse = credentialResponse
  }
}

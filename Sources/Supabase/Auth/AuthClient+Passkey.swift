internal import FoundationEssentials
public import Helpers
internal import SwiftwaterHTTP

extension AuthClient {
  /// Signs in with a passkey.
  ///
  /// - Parameter authenticator: Takes the options (WebAuthn §5.5) to the platform's authenticator and returns what that
  ///   has answered, both as JSON.
  /// - Throws: `AuthError`; what `authenticator` throws; `CancellationError`.
  @discardableResult
  public func signInWithPasskey(
    authenticator: (_ options: JSONValue) async throws -> JSONValue
  ) async throws -> AuthResponse {
    let challenge = try await getPasskeyAuthenticationOptions()
    return try await verifyPasskeyAuthentication(
      challengeId: challenge.challengeId, credentialResponse: try await authenticator(challenge.options))
  }

  /// Registers a passkey for the user.
  ///
  /// - Parameter authenticator: Takes the options (WebAuthn §5.4) to the platform's authenticator and returns what that
  ///   has answered, both as JSON.
  /// - Throws: `AuthError`; what `authenticator` throws; `CancellationError`.
  @discardableResult
  public func registerPasskey(
    authenticator: (_ options: JSONValue) async throws -> JSONValue
  ) async throws -> PasskeyListItem {
    let challenge = try await getPasskeyRegistrationOptions()
    return try await verifyPasskeyRegistration(
      challengeId: challenge.challengeId, credentialResponse: try await authenticator(challenge.options))
  }

  /// Asks how to create a passkey for the user.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func getPasskeyRegistrationOptions() async throws -> PasskeyRegistrationOptions {
    try await authorized(AuthRequest(.post, "passkeys", "registration", "options"))
  }

  /// Registers the passkey that an authenticator has created.
  ///
  /// - Parameters:
  ///   - challengeId: The challenge's identifier.
  ///   - credentialResponse: What the authenticator has answered (WebAuthn §5.1), as it is.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func verifyPasskeyRegistration(
    challengeId: String, credentialResponse: JSONValue
  ) async throws -> PasskeyListItem {
    try await authorized(
      try AuthRequest(.post, "passkeys", "registration", "verify")
        .json(["challenge_id": .string(challengeId), "credential": credentialResponse]))
  }

  /// Asks how to sign in with a passkey.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func getPasskeyAuthenticationOptions() async throws -> PasskeyAuthenticationOptions {
    try await api.value(AuthRequest(.post, "passkeys", "authentication", "options"))
  }

  /// Signs in by what an authenticator has answered.
  ///
  /// - Parameters:
  ///   - challengeId: The challenge's identifier.
  ///   - credentialResponse: What the authenticator has answered (WebAuthn §5.1), as it is.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func verifyPasskeyAuthentication(
    challengeId: String, credentialResponse: JSONValue
  ) async throws -> AuthResponse {
    let response: AuthResponse = try await api.value(
      try AuthRequest(.post, "passkeys", "authentication", "verify")
        .json(["challenge_id": .string(challengeId), "credential": credentialResponse]))
    if let session = response.session { try await keep(session) }
    return response
  }

  /// The user's passkeys.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listPasskeys() async throws -> [PasskeyListItem] {
    try await authorized(AuthRequest(.get, "passkeys", ""))
  }

  /// Gives a passkey another name.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func renamePasskey(id: String, friendlyName: String) async throws -> PasskeyListItem {
    try await authorized(try AuthRequest(.patch, "passkeys", id).json(["friendly_name": .string(friendlyName)]))
  }

  /// Removes a passkey, which the user cannot sign in with any more.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func deletePasskey(id: String) async throws {
    _ = try await authorized(AuthRequest(.delete, "passkeys", id))
  }
}

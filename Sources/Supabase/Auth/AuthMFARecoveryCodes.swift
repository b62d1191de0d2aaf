internal import Helpers
internal import SwiftwaterHTTP

/// Codes that a user writes down for the day when no other factor is at hand. A project has to allow them.
public struct AuthMFARecoveryCodes: Sendable {
  let client: AuthClient

  /// How many codes there are, and how many were not used yet. The codes themselves are never shown again.
  ///
  /// - Throws: `AuthError`, with the code `.mfaFactorNotFound` if there are none; `CancellationError`.
  public func status() async throws -> AuthMFARecoveryCodesStatusResponse {
    try await client.authorized(AuthRequest(.get, "factors", "recovery-codes"))
  }

  /// Makes a set of codes. The session has to be assured by two factors.
  ///
  /// - Parameter friendlyName: What the factor is called; the server's own name unless given.
  /// - Throws: `AuthError`; `CancellationError`.
  public func generate(friendlyName: String? = nil) async throws -> AuthMFARecoveryCodesGenerateResponse {
    var request = AuthRequest(.post, "factors", "recovery-codes")
    if let friendlyName { request = try request.json(["friendly_name": .string(friendlyName)]) }
    return try await client.authorized(request)
  }

  /// Proves the user by a code, which cannot be used again.
  ///
  /// - Returns: The session, which is assured by two factors.
  /// - Throws: `AuthError`, with the code `.mfaVerificationFailed` if it is wrong or was used; `CancellationError`.
  @discardableResult
  public func verify(code: String) async throws -> AuthMFAVerifyResponse {
    try await client.upgrade(
      try AuthRequest(.post, "factors", "recovery-codes", "verify").json(["code": .string(code)]),
      event: .mfaChallengeVerified)
  }

  /// Replaces the codes by a new set.
  ///
  /// - Throws: `AuthError`, with the code `.mfaFactorNotFound` if there are none; `CancellationError`.
  public func regenerate() async throws -> AuthMFARecoveryCodesGenerateResponse {
    try await client.authorized(AuthRequest(.post, "factors", "recovery-codes", "regenerate"))
  }

  /// Removes the codes.
  ///
  /// - Throws: `AuthError`, with the code `.mfaFactorNotFound` if there are none; `CancellationError`.
  @discardableResult
  public func unenroll() async throws -> AuthMFAUnenrollResponse {
    try await client.authorized(AuthRequest(.delete, "factors", "recovery-codes"))
  }
}

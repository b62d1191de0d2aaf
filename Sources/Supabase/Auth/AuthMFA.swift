internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP
internal import SwiftwaterTokens

/// The user's second factors. Every member needs a session.
///
/// The value keeps the client, as its members need it; ask ``AuthClient/mfa`` anew instead of keeping it.
public struct AuthMFA: Sendable {
  let client: AuthClient

  /// Codes that a user writes down for the day when no other factor is at hand.
  public var recoveryCodes: AuthMFARecoveryCodes { AuthMFARecoveryCodes(client: client) }

  /// Enrolls a factor, which has to be proven before it counts.
  ///
  /// - Parameter params: `.totp(issuer:friendlyName:)`, `.phone(friendlyName:phone:)` or `.webAuthn(friendlyName:)`.
  /// - Returns: The factor, and what an authenticator app needs.
  /// - Throws: `AuthError`; `CancellationError`.
  public func enroll(params: some MFAEnrollParamsType) async throws -> AuthMFAEnrollResponse {
    try await client.authorized(try AuthRequest(.post, "factors").json(params))
  }

  /// Makes a challenge that a factor is to be proven with. A phone is sent a code.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func challenge(params: MFAChallengeParams) async throws -> AuthMFAChallengeResponse {
    var members = JSONObject.members(["channel": .text(params.channel?.rawValue)])
    if let options = params.webAuthn {
      members["webauthn"] = .object(
        .members([
          "rp_id": .text(options.relyingPartyIdentifier),
          "rp_origins": options.relyingPartyOrigins.map { .array($0.map { .string($0) }) },
        ]))
    }
    var request = AuthRequest(.post, "factors", params.factorId, "challenge")
    if !members.isEmpty { request = try request.json(members) }
    return try await client.authorized(request)
  }

  /// Proves a factor. The session is assured by it from now on, and other sessions of the user that are not end.
  ///
  /// - Returns: The session.
  /// - Throws: `AuthError`, with the code `.mfaVerificationFailed` if the code is wrong; `CancellationError`.
  @discardableResult
  public func verify(params: MFAVerifyParams) async throws -> AuthMFAVerifyResponse {
    let members: JSONObject
    if let credential = params.credentialResponse {
      // What an authenticator answers tells by itself whether it has created a credential.
      let type: WebAuthnChallengeType = credential["response"]?["attestationObject"] == nil ? .request : .create
      members = [
        "challenge_id": .string(params.challengeId),
        "webauthn": ["type": .string(type.rawValue), "credential_response": credential],
      ]
    } else {
      members = [
        "factor_id": .string(params.factorId), "challenge_id": .string(params.challengeId),
        "code": .string(params.code),
      ]
    }
    return try await client.upgrade(
      try AuthRequest(.post, "factors", params.factorId, "verify").json(members), event: .mfaChallengeVerified)
  }

  /// Removes a factor. One that was proven needs a session that is assured by two.
  ///
  /// - Throws: `AuthError`, with the code `.insufficientAAL` if it is not; `CancellationError`.
  @discardableResult
  public func unenroll(params: MFAUnenrollParams) async throws -> AuthMFAUnenrollResponse {
    try await client.authorized(AuthRequest(.delete, "factors", params.factorId))
  }

  /// Makes a challenge and proves the factor with it at once, for authenticator apps, whose codes are always at hand.
  ///
  /// - Throws: `AuthError`, with the code `.mfaVerificationFailed` if the code is wrong; `CancellationError`.
  @discardableResult
  public func challengeAndVerify(params: MFAChallengeAndVerifyParams) async throws -> AuthMFAVerifyResponse {
    let challenge = try await challenge(params: MFAChallengeParams(factorId: params.factorId))
    return try await verify(
      params: MFAVerifyParams(factorId: params.factorId, challengeId: challenge.id, code: params.code))
  }

  /// Asks the server for the user's factors.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listFactors() async throws -> AuthMFAListFactorsResponse {
    let factors = try await client.user().factors ?? []
    func proven(_ type: FactorType) -> [Factor] { factors.filter { $0.factorType == type && $0.status == .verified } }
    return AuthMFAListFactorsResponse(
      all: factors, totp: proven(.totp), phone: proven(.phone), webauthn: proven(.webauthn))
  }

  /// How well the session is assured, and how well it could be. Asks no server, unless the session has to be renewed.
  ///
  /// - Returns: Without a session, nothing of all that.
  /// - Throws: `AuthError`, of the kind `.jwtVerificationFailed` if the access token cannot be read;
  ///   `CancellationError`.
  public func getAuthenticatorAssuranceLevel() async throws -> AuthMFAGetAuthenticatorAssuranceLevelResponse {
    let session: Session
    do { session = try await client.session } catch let error as AuthError where error.kind == .sessionMissing {
      return AuthMFAGetAuthenticatorAssuranceLevelResponse(currentAuthenticationMethods: [])
    }
    let claims: JSONValue
    do { claims = try JSONWebToken.unverified(session.accessToken).values } catch {
      throw AuthError.unbelievable(error)
    }
    let current = claims["aal"]?.stringValue.map { AuthenticatorAssuranceLevels(rawValue: $0) }
    let hasProven = session.user.factors?.contains { $0.status == .verified } ?? false
    let methods = (claims["amr"]?.arrayValue ?? []).compactMap { entry -> AMREntry? in
      // A provider's entries may be names alone (RFC 8176).
      if let name = entry.stringValue { return AMREntry(method: name, timestamp: 0) }
      guard let method = entry["method"]?.stringValue else { return nil }
      return AMREntry(method: method, timestamp: entry["timestamp"]?.doubleValue ?? 0)
    }
    return AuthMFAGetAuthenticatorAssuranceLevelResponse(
      currentLevel: current, nextLevel: hasProven ? .aal2 : current, currentAuthenticationMethods: methods)
  }
}

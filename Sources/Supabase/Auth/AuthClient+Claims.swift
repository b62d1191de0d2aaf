internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP
internal import SwiftwaterTokens

extension AuthClient {
  /// What a token claims, after its signature and its times were verified: here, with the server's public keys, or by
  /// the server, if it is signed with a secret.
  ///
  /// - Parameters:
  ///   - jwt: The token; the session's unless given.
  ///   - options: Whether it may have expired, and keys that are known already.
  /// - Throws: `AuthError`, of the kind `.jwtVerificationFailed` if it is not to be believed; `CancellationError`.
  public func getClaims(
    jwt: String? = nil, options: GetClaimsOptions = GetClaimsOptions()
  ) async throws -> JWTClaimsResponse {
    let token: String
    if let jwt { token = jwt } else { token = try await session.accessToken }
    let parsed: ParsedToken
    do { parsed = try ParsedToken(token) } catch { throw AuthError.unbelievable(error) }
    // With its own end as the time of day a token has not expired.
    let now = options.allowExpired ? parsed.expiry.map { min($0, Date().timeIntervalSince1970) } : nil
    if let keys = options.jwks {
      switch parsed.verified(by: VerificationKeys.text(of: keys), now: now) {
      case .good: return parsed.response
      case .refused(let refusal): throw AuthError.unbelievable(refusal)
      case .unknownKey: break
      }
    }
    if parsed.isSecret || parsed.header.kid == nil {
      // Nobody but the server has the secret. It knows the time as well.
      if let expiry = parsed.expiry, !options.allowExpired, expiry < Date().timeIntervalSince1970 {
        throw AuthError.unbelievable(JSONWebToken.Refusal.expired)
      }
      _ = try await user(jwt: token)
      return parsed.response
    }
    for isFresh in [false, true] {
      let keys = try await verificationKeys.keys(from: api, isFresh: isFresh)
      switch parsed.verified(by: keys, now: now) {
      case .good: return parsed.response
      case .refused(let refusal): throw AuthError.unbelievable(refusal)
      case .unknownKey: continue
      }
    }
    throw AuthError.unbelievable(JSONWebToken.Refusal.noSuitableKey)
  }
}

extension AuthError {
  /// A token that is not to be believed.
  static func unbelievable(_ cause: any Error) -> AuthError {
    let reason =
      switch cause as? JSONWebToken.Refusal {
      case .expired?: "it has expired"
      case .invalidSignature?: "its signature is not right"
      case .noSuitableKey?, .noKeys?: "no key of the server's fits it"
      case .unsecured?: "it is not signed"
      case .unsupportedAlgorithm?: "its algorithm is none of ES256, RS256 and HS256"
      case .notYetValid?, .issuedInFuture?: "its time has not come yet"
      case .claimIsNoNumber(let name)?: "its \(name) is missing or no number"
      default: "it is no JSON Web Token"
      }
    return AuthError(
      kind: .jwtVerificationFailed, message: "The token is not to be believed: \(reason).", errorCode: .invalidJWT,
      underlyingError: cause)
  }
}

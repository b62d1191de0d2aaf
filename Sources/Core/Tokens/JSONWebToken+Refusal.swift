extension JSONWebToken {
  /// Why a token was refused.
  public enum Refusal: Error, Sendable, Equatable {
    /// There is no key to verify it with.
    case noKeys
    /// It is empty.
    case empty
    /// It has another number of parts than three.
    case parts(Int)
    /// Its head or signature is no base64url, or the head no JSON object with `alg`.
    case malformed
    /// It says of itself that it is not signed (`alg` `none`).
    case unsecured
    /// Its head names another algorithm than HS256, RS256 and ES256, or an extension that must be understood.
    case unsupportedAlgorithm
    /// No key has the type that the algorithm needs and the name that `kid` gives.
    case noSuitableKey
    /// No suitable key has made the signature.
    case invalidSignature
    /// The claims are no JSON object.
    case malformedClaims
    /// A claim that is a time (`exp`, `nbf`, `iat`) is no number.
    case claimIsNoNumber(String)
    /// `aud` is neither a text nor a list of texts.
    case malformedAudience
    /// Its `exp` has passed.
    case expired
    /// Its `nbf` has not come yet.
    case notYetValid
    /// Its `iat` has not come yet.
    case issuedInFuture
    /// It is for another audience.
    case wrongAudience
  }
}

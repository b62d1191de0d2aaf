internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Tells which tokens are to be believed.
///
/// A token's algorithm must be the one of the key's type, whatever its head says, so that nobody can sign with a public
/// key as if it were a secret. Verified tokens are remembered by their whole text, and their times are checked each time,
/// so a request with a known token costs a look-up.
///
/// Threading: may be used from anywhere at once.
public final class JWTVerifier: Sendable {
  private let settings: JWTSettings
  private let known: LockIsolated<RecentValues<String, (token: JSONWebToken, validity: TokenValidity)>>

  /// Believes what the settings say.
  public init(_ settings: JWTSettings) {
    self.settings = settings
    known = LockIsolated(RecentValues(capacity: settings.cachedTokens))
  }

  /// Verifies a token: its signature, its times and its audience.
  ///
  /// - Parameter now: seconds since 1970; the system's time unless given.
  public func verify(
    _ token: String, now: Double? = nil
  ) throws(JSONWebToken.Refusal) -> JSONWebToken {
    let now = now ?? Date().timeIntervalSince1970
    if let known = known.withLock({ $0[token] }) {
      try known.validity.check(now, settings)
      return known.token
    }
    let verified = try decode(token)
    known.withLock { $0[token] = verified }
    try verified.validity.check(now, settings)
    return verified.token
  }

  private func decode(
    _ token: String
  ) throws(JSONWebToken.Refusal) -> (token: JSONWebToken, validity: TokenValidity) {
    guard let keys = settings.keys?.keys else { throw .noKeys }
    let parts = try TokenParts(token)
    guard let head = Base64URL.decode(parts.head).flatMap({ try? TokenHead($0) }), let name = head.algorithm,
      let signature = Base64URL.decode(parts.signature)
    else { throw .malformed }
    if name == "none" { throw .unsecured }
    // RFC 7515 §4.1.11: whoever does not know an extension must refuse.
    guard let algorithm = JWTKey.Algorithm(rawValue: name), !head.hasCriticalExtensions else {
      throw .unsupportedAlgorithm
    }
    let suitable = keys.lazy.filter { key in
      key.algorithm == algorithm
        && (key.identifier == nil || head.keyIdentifier == nil || key.identifier == head.keyIdentifier)
    }
    guard suitable.contains(where: { $0.verifies(signature, of: parts.message) }) else {
      throw suitable.isEmpty ? .noSuitableKey : .invalidSignature
    }
    return try JSONWebToken.reading(parts)
  }
}

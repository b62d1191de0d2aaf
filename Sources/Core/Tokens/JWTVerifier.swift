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
  private let known: LockIsolated<RecentValues<String, JSONWebToken>>

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
      try check(known.values, now)
      return known
    }
    let verified = try decode(token)
    known.withLock { $0[token] = verified }
    try check(verified.values, now)
    return verified
  }

  private struct Head: Decodable {
    var alg: String
    var kid: String?
    var crit: JSONValue?
  }

  private func decode(_ token: String) throws(JSONWebToken.Refusal) -> JSONWebToken {
    guard let keys = settings.keys?.keys else { throw .noKeys }
    let parts = try JSONWebToken.Parts(token)
    guard let head = Base64URL.decode(parts.head).flatMap({ try? JSONDecoder().decode(Head.self, from: Data($0)) }),
      let signature = Base64URL.decode(parts.signature)
    else { throw .malformed }
    if head.alg == "none" { throw .unsecured }
    // RFC 7515 §4.1.11: whoever does not know an extension must refuse.
    guard let algorithm = JWTKey.Algorithm(rawValue: head.alg), head.crit == nil else { throw .unsupportedAlgorithm }
    let suitable = keys.filter { key in
      key.algorithm == algorithm && (key.identifier == nil || head.kid == nil || key.identifier == head.kid)
    }
    guard !suitable.isEmpty else { throw .noSuitableKey }
    let message = Array("\(parts.head).\(parts.claims)".utf8)
    guard suitable.contains(where: { $0.verifies(signature, of: message) }) else { throw .invalidSignature }
    return try JSONWebToken(claimsPart: parts.claims)
  }

  /// In PostgREST's order, which decides what a token with several faults is told.
  private func check(_ claims: JSONValue, _ now: Double) throws(JSONWebToken.Refusal) {
    let (now, leeway) = (now.rounded(.down), settings.leeway)
    if let expiry = try time("exp", claims), now - leeway > expiry { throw .expired }
    if let start = try time("nbf", claims), now + leeway < start { throw .notYetValid }
    if let issue = try time("iat", claims), now + leeway < issue { throw .issuedInFuture }
    guard let audience = claims["aud"], !audience.isNull else { return }
    let names: [String]
    if let name = audience.stringValue {
      names = [name]
    } else if let list = audience.arrayValue, case let texts = list.compactMap(\.stringValue), texts.count == list.count
    {
      names = texts
    } else {
      throw .malformedAudience
    }
    if let wanted = settings.audience, !names.isEmpty, !names.contains(wanted) { throw .wrongAudience }
  }

  private func time(_ name: String, _ claims: JSONValue) throws(JSONWebToken.Refusal) -> Double? {
    guard let claim = claims[name], !claim.isNull else { return nil }
    guard let seconds = claim.doubleValue else { throw .claimIsNoNumber(name) }
    return seconds
  }
}

internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP
internal import SwiftwaterTokens

/// A token's parts, none of which is believed yet.
struct ParsedToken: Sendable {
  /// Longer ones are none that a server issues.
  static let maximumLength = 64 << 10

  let token: String
  let header: JWTHeader
  let claims: JWTClaims
  private let signature: [UInt8]

  init(_ token: String) throws {
    guard token.utf8.count <= Self.maximumLength else { throw JSONWebToken.Refusal.malformed }
    let parsed = try JSONWebToken.unverified(token)
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard let head = Base64URL.decode(parts[0]), let signature = Base64URL.decode(parts[2]) else {
      throw JSONWebToken.Refusal.malformed
    }
    self.token = token
    self.signature = signature
    do {
      header = try JSONDecoder().decode(JWTHeader.self, from: Data(head))
      claims = try JSONDecoder().decode(JWTClaims.self, from: Data(parsed.claims.utf8))
    } catch {
      throw JSONWebToken.Refusal.malformedClaims
    }
  }

  var expiry: Double? { claims.exp }
  /// Whether the key that signs is the one that verifies, which is nobody's but the server's.
  var isSecret: Bool { header.alg.hasPrefix("HS") }
  var response: JWTClaimsResponse { JWTClaimsResponse(claims: claims, header: header, signature: Data(signature)) }

  /// What verifying a token has come to.
  enum Verdict: Sendable {
    case good
    case refused(JSONWebToken.Refusal)
    /// None of the keys is the one that has signed.
    case unknownKey
  }

  /// Verifies the token.
  ///
  /// - Parameters:
  ///   - keys: The text of a set.
  ///   - now: The time of day in seconds since 1970; the system's if nil.
  func verified(by keys: String, now: Double?) -> Verdict {
    let set: JWTKeySet
    do { set = try JWTKeySet(keys) } catch { return .unknownKey }
    do throws(JSONWebToken.Refusal) {
      _ = try JWTVerifier(JWTSettings(keys: set, cachedTokens: 0)).verify(token, now: now)
      return .good
    } catch .noSuitableKey {
      return .unknownKey
    } catch {
      return .refused(error)
    }
  }
}

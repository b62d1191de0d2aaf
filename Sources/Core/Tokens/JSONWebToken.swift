internal import FoundationEssentials
public import SwiftwaterHTTP

/// What a JSON Web Token (RFC 7519) claims.
///
/// `JWTVerifier` gives those of tokens that are to be believed; `unverified(_:)` reads what any token claims.
public struct JSONWebToken: Sendable {
  /// The claims as the token carries them: the text of a JSON object.
  public let claims: String
  /// The same claims, parsed.
  public let values: JSONValue

  /// Reads a token's claims without any check of its signature or its times, for who has it from a source that is to be
  /// believed anyway, such as the server that issued it.
  ///
  /// - Throws: `JSONWebToken.Refusal` where it has not three parts or its claims are no JSON object.
  public static func unverified(_ text: String) throws(Refusal) -> JSONWebToken {
    try JSONWebToken(claimsPart: Parts(text).claims)
  }

  /// Signs claims, the text of a JSON object, with HMAC-SHA-256 (RFC 7515 A.1).
  public static func sign(claims: String, secret: String) -> String {
    let message = signingInput(head: #"{"alg":"HS256","typ":"JWT"}"#, claims: claims)
    return message + "."
      + Base64URL.encode(JWTKey.authenticationCode(of: Array(message.utf8), secret: Array(secret.utf8)))
  }

  /// Reads the claims from their part of a token.
  init(claimsPart: Substring) throws(Refusal) {
    guard let bytes = Base64URL.decode(claimsPart), let claims = String(validating: bytes, as: UTF8.self),
      let values = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)), values.objectValue != nil
    else { throw .malformedClaims }
    self.claims = claims
    self.values = values
  }

  /// The parts of a token's text.
  struct Parts {
    let head: Substring
    let claims: Substring
    let signature: Substring

    init(_ text: String) throws(Refusal) {
      guard !text.isEmpty else { throw .empty }
      let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
      guard parts.count == 3 else { throw .parts(parts.count) }
      (head, claims, signature) = (parts[0], parts[1], parts[2])
    }
  }

  /// What is signed: head and claims.
  static func signingInput(head: String, claims: String) -> String {
    Base64URL.encode(head.utf8) + "." + Base64URL.encode(claims.utf8)
  }
}

internal import FoundationEssentials
public import SwiftwaterHTTP

/// What a JSON Web Token (RFC 7519) claims.
///
/// `JWTVerifier` gives those of tokens that are to be believed; `unverified(_:)` reads what any token claims.
public struct JSONWebToken: Sendable {
  /// The claims as the token carries them: the text of a JSON object.
  public let claims: String
  private let parsed: ParsedClaims

  /// The same claims, parsed. Costs something the first time only.
  public var values: JSONValue { parsed.values(claims) }

  /// Reads a token's claims without any check of its signature or its times, for who has it from a source that is to be
  /// believed anyway, such as the server that issued it.
  ///
  /// - Throws: `JSONWebToken.Refusal` where it has not three parts or its claims are no JSON object.
  public static func unverified(_ text: String) throws(Refusal) -> JSONWebToken {
    try reading(TokenParts(text)).token
  }

  /// Signs claims, the text of a JSON object, with HMAC-SHA-256 (RFC 7515 A.1).
  public static func sign(claims: String, secret: String) -> String {
    let message = signingInput(head: #"{"alg":"HS256","typ":"JWT"}"#, claims: claims)
    // Without memory for a hash nothing can be signed, nor told.
    let code = HMACKey(Array(secret.utf8))?.code(of: Array(message.utf8)[...]) ?? []
    return message + "." + Base64URL.encode(code)
  }

  /// Reads the claims of a token, and those of them that say when and for whom it is valid.
  static func reading(_ parts: TokenParts) throws(Refusal) -> (token: JSONWebToken, validity: TokenValidity) {
    guard let bytes = Base64URL.decode(parts.claims), let claims = bytes.withUnsafeBufferPointer(String.init(utf8:)),
      let validity = try? TokenValidity(bytes)
    else { throw .malformedClaims }
    return (JSONWebToken(claims: claims, parsed: ParsedClaims()), validity)
  }

  /// A text as it stands in JSON.
  static func quoted(_ text: String) -> String {
    // Encoding a text cannot fail.
    (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  /// What is signed: head and claims.
  static func signingInput(head: String, claims: String) -> String {
    Base64URL.encode(head.utf8) + "." + Base64URL.encode(claims.utf8)
  }
}

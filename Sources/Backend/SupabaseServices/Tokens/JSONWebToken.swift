public import SwiftwaterHTTP

/// A JSON Web Token (RFC 7519) whose signature has been verified.
public struct JSONWebToken: Sendable {
  /// The claims as the token carries them: the text of a JSON object.
  public let claims: String
  /// The same claims, parsed.
  public let values: JSONValue
  /// The role, from where `JWTSettings.rolePath` says; what is no text there is given as JSON. Nil where nothing is.
  public let role: String?

  /// Signs claims, the text of a JSON object, with HMAC-SHA-256 (RFC 7515 A.1).
  public static func sign(claims: String, secret: String) -> String {
    let message = signingInput(head: #"{"alg":"HS256","typ":"JWT"}"#, claims: claims)
    return message + "."
      + Base64URL.encode(JWTKey.authenticationCode(of: Array(message.utf8), secret: Array(secret.utf8)))
  }

  /// What is signed: head and claims.
  static func signingInput(head: String, claims: String) -> String {
    Base64URL.encode(head.utf8) + "." + Base64URL.encode(claims.utf8)
  }
}

internal import FoundationEssentials
internal import SwiftwaterHTTP

/// The keys whose signatures are believed: a shared secret (HS256), public keys (RS256, ES256), or several of them.
public struct JWTKeySet: Sendable {
  let keys: [JWTKey]

  init(keys: [JWTKey]) { self.keys = keys }

  /// Reads a setting as PostgREST's `jwt-secret`: a JSON Web Key Set, a single JSON Web Key (RFC 7517), or else a secret.
  ///
  /// - Parameters:
  ///   - text: the keys; their members that concern private keys are ignored.
  ///   - isBase64: the text is a secret's bytes in base64, with either alphabet.
  /// - Throws: `JWTKeyError` when the set has no key that can verify, a key is malformed or too weak, or the secret has
  ///   fewer than 32 bytes.
  public init(_ text: String, isBase64: Bool = false) throws(JWTKeyError) {
    if isBase64 {
      let url = text.filter { !$0.isWhitespace && $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
      guard let secret = Base64URL.decode(String(url)) else { throw JWTKeyError("The JWT secret is not base64.") }
      self.init(keys: [try JWTKey(secret: secret)])
    } else if text.first(where: { !$0.isWhitespace }) == "{",
      let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
      value["keys"] != nil || value["kty"] != nil
    {
      try self.init(json: value)
    } else {
      self.init(keys: [try JWTKey(secret: Array(text.utf8))])
    }
  }

  /// Several sets as one.
  public static func + (left: JWTKeySet, right: JWTKeySet) -> JWTKeySet { JWTKeySet(keys: left.keys + right.keys) }

  private init(json: JSONValue) throws(JWTKeyError) {
    var keys: [JWTKey] = []
    for member in json["keys"]?.arrayValue ?? [json] {
      if let key = try JWTKey(json: member) { keys.append(key) }
    }
    guard !keys.isEmpty else {
      throw JWTKeyError("The JSON Web Key Set has no key that verifies: kty oct, RSA, or EC with crv P-256.")
    }
    self.init(keys: keys)
  }
}

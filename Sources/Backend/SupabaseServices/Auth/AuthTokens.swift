internal import FoundationEssentials
internal import SwiftwaterHTTP
public import SwiftwaterTokens

/// Signs access tokens, and tells what others verify them with.
public struct AuthTokens: Sendable {
  private enum Signer: Sendable {
    case secret(String)
    case key(ES256PrivateKey)
  }

  private let signer: Signer
  /// The keys whose tokens the service believes: at least its own.
  let keys: JWTKeySet
  /// What one-time tokens are sealed with.
  let sealingSecret: String

  /// Signs with the secret (HS256), or with the key (ES256) where there is one.
  ///
  /// - Parameters:
  ///   - secret: what API keys are signed with; at least 32 bytes.
  ///   - key: signs access tokens in place of the secret; others verify them by `/.well-known/jwks.json`.
  ///   - keys: whose tokens are believed. The secret and the key must be among them.
  public init(secret: String, key: ES256PrivateKey? = nil, keys: JWTKeySet) {
    signer = key.map(Signer.key) ?? .secret(secret)
    self.keys = keys
    sealingSecret = secret
  }

  /// Signs claims.
  func sign(_ claims: JSONValue) throws(AuthError) -> String {
    switch signer {
    case .secret(let secret): return JSONWebToken.sign(claims: claims.description, secret: secret)
    case .key(let key):
      do {
        return try key.sign(claims: claims.description)
      } catch {
        throw .unexpected("The access token could not be signed")
      }
    }
  }

  /// The public keys (RFC 7517 §5): none where a secret signs.
  var publicKeySet: JSONValue {
    guard case .key(let key) = signer,
      var value = try? JSONDecoder().decode(JSONValue.self, from: Data(key.publicJWK.utf8))
    else { return ["keys": []] }
    value["key_ops"] = ["verify"]
    value["ext"] = true
    return ["keys": [value]]
  }
}

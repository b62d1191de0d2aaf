internal import SupabaseServices
internal import SwiftwaterTokens

/// Ready-made API keys, and the keys that tokens are verified with.
enum Keys {
  /// A long-lived token that names a role.
  static func sign(role: String, secret: String) -> String {
    // The claims of Supabase's own local keys, so that the same secret gives the same keys.
    JSONWebToken.sign(claims: #"{"iss":"supabase-demo","role":"\#(role)","exp":1983812996}"#, secret: secret)
  }

  /// The keys that a configuration believes.
  static func verifying(_ configuration: LocalBackend.Configuration) throws(LocalBackendError) -> JWTKeySet {
    do throws(JWTKeyError) {
      var keys = try JWTKeySet(configuration.jwtSecret)
      if let further = configuration.jwtKeys { keys = try keys + JWTKeySet(further) }
      if let key = try signing(configuration) { keys = try keys + JWTKeySet(key.publicJWK) }
      return keys
    } catch {
      throw LocalBackendError(code: .invalidConfiguration, message: error.message, underlyingError: error)
    }
  }

  /// The key that signs users' tokens in place of the secret; nil where there is none.
  static func signing(_ configuration: LocalBackend.Configuration) throws(JWTKeyError) -> ES256PrivateKey? {
    guard let text = configuration.jwtSigningKey else { return nil }
    return try ES256PrivateKey(jwk: text)
  }
}

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
      let secret = try JWTKeySet(configuration.jwtSecret)
      guard let keys = configuration.jwtKeys else { return secret }
      return try secret + JWTKeySet(keys)
    } catch {
      throw LocalBackendError(code: .invalidConfiguration, message: error.message, underlyingError: error)
    }
  }
}

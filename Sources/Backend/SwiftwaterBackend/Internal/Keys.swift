internal import FoundationEssentials
internal import SupabaseServices
internal import SwiftwaterHTTP

/// Ready-made API keys, and the keys that tokens are verified with.
enum Keys {
  /// A long-lived token that names a role.
  static func sign(role: String, secret: String) -> String {
    // The claims of Supabase's own local keys, so that the same secret gives the same keys.
    JSONWebToken.sign(claims: #"{"iss":"supabase-demo","role":"\#(role)","exp":1983812996}"#, secret: secret)
  }

  /// The keys that a configuration believes, as one JSON Web Key Set.
  static func verifying(_ configuration: LocalBackend.Configuration) throws(LocalBackendError) -> String {
    do throws(JWTKeyError) {
      // Each by itself, so that a fault is known for which it is.
      _ = try JWTKeySet(configuration.jwtSecret)
      if let keys = configuration.jwtKeys { _ = try JWTKeySet(keys) }
    } catch {
      throw LocalBackendError(code: .invalidConfiguration, message: error.message, underlyingError: error)
    }
    guard let text = configuration.jwtKeys, let keys = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    else { return configuration.jwtSecret }
    let base64 = Data(configuration.jwtSecret.utf8).base64EncodedString()
    let secret = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let set: JSONValue = [
      "keys": .array([["kty": "oct", "k": .string(secret)]] + (keys["keys"]?.arrayValue ?? [keys]))
    ]
    return (try? JSONEncoder().encode(set)).map { String(decoding: $0, as: UTF8.self) } ?? configuration.jwtSecret
  }
}

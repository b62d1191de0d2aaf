internal import SupabaseServices

/// Ready-made API keys: long-lived tokens that name a role.
enum Keys {
  static func sign(role: String, secret: String) -> String {
    // The claims of Supabase's own local keys, so that the same secret gives the same keys.
    JSONWebToken.sign(claims: #"{"iss":"supabase-demo","role":"\#(role)","exp":1983812996}"#, secret: secret)
  }
}

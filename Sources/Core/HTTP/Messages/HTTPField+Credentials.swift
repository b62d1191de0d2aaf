extension HTTPField.Name {
  /// Whether fields of that name carry credentials, by the list below or since the name says so, as `X-Session-Token`
  /// does: they never reach another origin by a redirect, nor a log.
  package var isCredential: Bool { SecretNames.contain(canonicalName) }

  /// Those names, in lower case.
  static let credentials: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie",
    // Supabase's key, and the names under which other services take theirs.
    "apikey", "x-api-key", "api-key", "x-auth-token", "x-access-token", "x-csrf-token",
    // Google's and Firebase's.
    "x-goog-api-key", "x-goog-iam-authorization-token", "x-firebase-appcheck", "x-firebase-gmpid",
    "x-firebase-client", "x-firebase-auth", "x-goog-firebase-installations-auth", "x-amz-security-token",
  ]
}

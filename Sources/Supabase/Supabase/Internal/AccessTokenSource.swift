internal import Auth

/// Whose token the modules' requests carry: the one seam between the session and the rest.
enum AccessTokenSource: Sendable {
  /// The session's, the key's while nobody is signed in.
  case session(AuthClient)
  /// Another issuer's.
  case provider(@Sendable () async throws -> String?)
  /// That of one user, on whose behalf a server acts.
  case fixed(String)
  /// None but the key.
  case key

  /// The token now; nil where the key stands for it.
  ///
  /// - Throws: why there is none although somebody is signed in, so that nobody is taken for anonymous by mistake.
  func token() async throws -> String? {
    switch self {
    case .session(let auth):
      do {
        return try await auth.session.accessToken
      } catch let error as AuthError where error.kind == .sessionMissing {
        return nil
      }
    case .provider(let provide): return try await provide()
    case .fixed(let token): return token
    case .key: return nil
    }
  }
}

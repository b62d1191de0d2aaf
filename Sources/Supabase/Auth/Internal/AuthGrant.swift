internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterSessions

/// A session, and what is told when it is put in force.
struct AuthGrant: Sendable {
  var session: Session
  var events: [AuthChangeEvent] = [.signedIn]
}

extension CredentialScheme<AuthGrant> {
  /// Sessions as an auth server renews them.
  static func auth(_ api: AuthAPI) -> CredentialScheme {
    CredentialScheme(
      encode: { try SessionLayout.encode($0.session) },
      decode: { AuthGrant(session: try SessionLayout.decode($0)) },
      validity: { $0.session.validity },
      refresh: { AuthGrant(session: try await api.refresh($0.session.refreshToken), events: [.tokenRefreshed]) },
      classify: { ($0 as? AuthError)?.refreshFailure ?? .transient() })
  }
}

extension Session {
  /// How long the access token is good, by the server.
  var validity: CredentialValidity {
    // What a server says may be no number, or beyond all bounds.
    let seconds = expiresIn.isNaN ? 0 : min(max(expiresIn, 0), 1e9)
    return CredentialValidity(expiresAt: Date(timeIntervalSince1970: expiresAt), lifetime: .seconds(seconds))
  }
}

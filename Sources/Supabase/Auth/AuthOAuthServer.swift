public import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

/// What the user decides about apps that ask for access, where the project is an OAuth 2.1 server.
///
/// The value keeps the client, as its members need it; ask ``AuthClient/oauthServer`` anew instead of keeping it.
public struct AuthOAuthServer: Sendable {
  let client: AuthClient

  /// What an app asks for. Ask this first: it makes the request the user's.
  ///
  /// - Parameter authorizationId: The request's identifier, from the address of the project's consent page.
  /// - Returns: What to show to the user; or where to go on, if the user has granted the same before.
  /// - Throws: `AuthError`, with the code `.oauthAuthorizationNotFound` if there is no such request;
  ///   `CancellationError`.
  public func getAuthorizationDetails(authorizationId: String) async throws -> OAuthAuthorizationDetailsResponse {
    try await client.authorized(AuthRequest(.get, "oauth", "authorizations", authorizationId))
  }

  /// Grants what an app asks for.
  ///
  /// - Returns: Where to send the user.
  /// - Throws: `AuthError`; `CancellationError`.
  public func approveAuthorization(authorizationId: String) async throws -> OAuthRedirect {
    try await consent(authorizationId, "approve")
  }

  /// Declines what an app asks for.
  ///
  /// - Returns: Where to send the user; the address tells the app.
  /// - Throws: `AuthError`; `CancellationError`.
  public func denyAuthorization(authorizationId: String) async throws -> OAuthRedirect {
    try await consent(authorizationId, "deny")
  }

  private func consent(_ authorizationId: String, _ action: String) async throws -> OAuthRedirect {
    try await client.authorized(
      try AuthRequest(.post, "oauth", "authorizations", authorizationId, "consent")
        .json(["action": .string(action)]))
  }

  /// What the user has granted to apps.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listGrants() async throws -> [OAuthGrant] {
    try await client.authorized(AuthRequest(.get, "user", "oauth", "grants"))
  }

  /// Takes back what was granted to an app; its sessions end.
  ///
  /// - Throws: `AuthError`, with the code `.oauthConsentNotFound` if nothing was; `CancellationError`.
  public func revokeGrant(clientId: UUID) async throws {
    _ = try await client.authorized(
      AuthRequest(.delete, "user", "oauth", "grants", query: ["client_id": clientId.uuidString]))
  }
}

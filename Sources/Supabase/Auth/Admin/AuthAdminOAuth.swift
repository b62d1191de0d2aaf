public import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

/// The apps that are registered, where the project is an OAuth 2.1 server; for administrators.
public struct AuthAdminOAuth: Sendable {
  let api: AuthAPI

  /// A page of the apps.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listClients(params: PageParams? = nil) async throws -> ListOAuthClientsPaginatedResponse {
    struct Answer: Decodable {
      let clients: [OAuthClient]
      let aud: String?
    }
    let (response, bytes) = try await api.send(AuthRequest(.get, "admin", "oauth", "clients", query: params.query))
    let answer: Answer = try AuthAPI.decode(bytes, response)
    let pages = PageLinks(response.headerFields)
    return ListOAuthClientsPaginatedResponse(
      clients: answer.clients, aud: answer.aud ?? "", nextPage: pages.next, lastPage: pages.last ?? 0,
      total: pages.total ?? 0)
  }

  /// Registers an app.
  ///
  /// - Returns: The app with its secret, which is not shown again.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func createClient(params: CreateOAuthClientParams) async throws -> OAuthClient {
    try await api.value(try AuthRequest(.post, "admin", "oauth", "clients").json(params))
  }

  /// An app.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func client(id: UUID) async throws -> OAuthClient {
    try await api.value(AuthRequest(.get, "admin", "oauth", "clients", id.uuidString))
  }

  /// Changes an app.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func updateClient(id: UUID, params: UpdateOAuthClientParams) async throws -> OAuthClient {
    try await api.value(try AuthRequest(.put, "admin", "oauth", "clients", id.uuidString).json(params))
  }

  /// Removes an app.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func deleteClient(id: UUID) async throws {
    try await api.perform(AuthRequest(.delete, "admin", "oauth", "clients", id.uuidString))
  }

  /// Gives an app another secret; the old one is not accepted any more.
  ///
  /// - Returns: The app with its secret, which is not shown again.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func regenerateClientSecret(id: UUID) async throws -> OAuthClient {
    try await api.value(AuthRequest(.post, "admin", "oauth", "clients", id.uuidString, "regenerate_secret"))
  }
}

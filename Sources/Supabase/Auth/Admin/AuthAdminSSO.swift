internal import Helpers
internal import SwiftwaterHTTP

/// The identity providers of single sign-on, for administrators.
public struct AuthAdminSSO: Sendable {
  let api: AuthAPI

  /// All of them.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listProviders() async throws -> [SSOProvider] {
    struct Answer: Decodable {
      let items: [SSOProvider]
    }
    let answer: Answer = try await api.value(AuthRequest(.get, "admin", "sso", "providers"))
    return answer.items
  }

  /// One of them.
  ///
  /// - Throws: `AuthError`, with the code `.ssoProviderNotFound` if there is none; `CancellationError`.
  public func provider(id: String) async throws -> SSOProvider {
    try await api.value(AuthRequest(.get, "admin", "sso", "providers", id))
  }

  /// Adds one.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func createProvider(attributes: SSOProviderAttributes) async throws -> SSOProvider {
    try await api.value(try AuthRequest(.post, "admin", "sso", "providers").json(attributes))
  }

  /// Changes one.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func updateProvider(id: String, attributes: SSOProviderAttributes) async throws -> SSOProvider {
    try await api.value(try AuthRequest(.put, "admin", "sso", "providers", id).json(attributes))
  }

  /// Removes one; its users cannot sign in with it any more.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func deleteProvider(id: String) async throws {
    try await api.perform(AuthRequest(.delete, "admin", "sso", "providers", id))
  }
}

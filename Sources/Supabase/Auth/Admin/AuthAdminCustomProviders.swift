public import Helpers
internal import SwiftwaterHTTP

/// The project's own sign-in providers, for administrators. Their settings differ by kind, so they are JSON.
public struct AuthAdminCustomProviders: Sendable {
  let api: AuthAPI

  /// All of them.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listProviders() async throws -> [JSONValue] {
    let answer: JSONValue = try await api.value(AuthRequest(.get, "admin", "custom-providers"))
    return answer.arrayValue ?? answer["providers"]?.arrayValue ?? []
  }

  /// One of them.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func provider(id: String) async throws -> JSONValue {
    try await api.value(AuthRequest(.get, "admin", "custom-providers", id))
  }

  /// Adds one.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func createProvider(_ settings: JSONValue) async throws -> JSONValue {
    try await api.value(try AuthRequest(.post, "admin", "custom-providers").json(settings))
  }

  /// Changes one.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func updateProvider(id: String, _ settings: JSONValue) async throws -> JSONValue {
    try await api.value(try AuthRequest(.put, "admin", "custom-providers", id).json(settings))
  }

  /// Removes one.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func deleteProvider(id: String) async throws {
    try await api.perform(AuthRequest(.delete, "admin", "custom-providers", id))
  }
}

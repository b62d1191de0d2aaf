public import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

/// Other users' second factors, for administrators.
public struct AuthAdminMFA: Sendable {
  let api: AuthAPI

  /// A user's factors.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listFactors(forUser userId: UUID) async throws -> [Factor] {
    try await api.value(AuthRequest(.get, "admin", "users", userId.uuidString, "factors"))
  }

  /// Removes a user's factor, for instance when a phone was lost.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func deleteFactor(id: UUID, forUser userId: UUID) async throws {
    try await api.perform(AuthRequest(.delete, "admin", "users", userId.uuidString, "factors", id.uuidString))
  }
}

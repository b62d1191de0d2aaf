public import FoundationEssentials
public import Helpers
internal import SwiftwaterHTTP

/// What administrators do. It takes the project's secret key, which must never be in an app.
///
/// Its requests carry what `configuration.headers` say, and no user's token: `Authorization: Bearer <secret key>` for
/// keys that are tokens, the `apikey` alone for those that begin with `sb_secret_`.
public struct AuthAdmin: Sendable {
  let api: AuthAPI
  let redirectToURL: URL?

  /// The apps that are registered, where the project is an OAuth server.
  public var oauth: AuthAdminOAuth { AuthAdminOAuth(api: api) }
  /// Other users' second factors.
  public var mfa: AuthAdminMFA { AuthAdminMFA(api: api) }
  /// The identity providers of single sign-on.
  public var sso: AuthAdminSSO { AuthAdminSSO(api: api) }
  /// The project's own sign-in providers.
  public var customProviders: AuthAdminCustomProviders { AuthAdminCustomProviders(api: api) }

  /// A user.
  ///
  /// - Throws: `AuthError`, with the code `.userNotFound` if there is none; `CancellationError`.
  public func getUserById(_ uid: UUID) async throws -> User {
    try await api.value(AuthRequest(.get, "admin", "users", uid.uuidString))
  }

  /// Changes a user. No mail is sent, and nothing has to be confirmed.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func updateUserById(_ uid: UUID, attributes: AdminUserAttributes) async throws -> User {
    try await api.value(try AuthRequest(.put, "admin", "users", uid.uuidString).json(attributes))
  }

  /// Makes a user. No mail is sent; ``inviteUserByEmail(_:data:redirectTo:)`` sends one.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func createUser(attributes: AdminUserAttributes) async throws -> User {
    try await api.value(try AuthRequest(.post, "admin", "users").json(attributes))
  }

  /// Makes a user and sends an invitation. It is accepted in another browser than this one, so its link comes back with
  /// tokens, not with a code.
  ///
  /// - Parameters:
  ///   - email: The address.
  ///   - data: The user's metadata.
  ///   - redirectTo: Where the mail leads; the configured address unless given.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func inviteUserByEmail(
    _ email: String, data: [String: JSONValue]? = nil, redirectTo: URL? = nil
  ) async throws -> User {
    try await api.value(
      try AuthRequest(.post, "invite", query: ["redirect_to": redirect(redirectTo)])
        .json(JSONObject.members(["email": .string(email), "data": data.map { .object($0) }])))
  }

  /// Deletes a user.
  ///
  /// - Parameters:
  ///   - id: The user's identifier.
  ///   - shouldSoftDelete: Whether the user's entry stays, without what identifies the user.
  /// - Throws: `AuthError`; `CancellationError`.
  public func deleteUser(id: UUID, shouldSoftDelete: Bool = false) async throws {
    try await api.perform(
      try AuthRequest(.delete, "admin", "users", id.uuidString)
        .json(["should_soft_delete": .bool(shouldSoftDelete)]))
  }

  /// Signs out the user whose token that is.
  ///
  /// - Throws: `AuthError`, also if the server does not know the session any more; `CancellationError`.
  public func signOut(jwt: String, scope: SignOutScope = .global) async throws {
    try await api.perform(try AuthRequest(.post, "logout", query: ["scope": scope.rawValue]).bearer(jwt))
  }

  /// Generates a link, for mails that the project sends by itself.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func generateLink(params: GenerateLinkParams) async throws -> GenerateLinkResponse {
    try await api.value(
      try AuthRequest(.post, "admin", "generate_link", query: ["redirect_to": redirect(params.redirectTo)])
        .json(params.body))
  }

  /// A user's passkeys.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listPasskeys(userId: UUID) async throws -> [PasskeyListItem] {
    try await api.value(AuthRequest(.get, "admin", "users", userId.uuidString, "passkeys"))
  }

  /// Removes a user's passkey.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func deletePasskey(userId: UUID, passkeyId: UUID) async throws {
    try await api.perform(
      AuthRequest(.delete, "admin", "users", userId.uuidString, "passkeys", passkeyId.uuidString))
  }

  private func redirect(_ url: URL?) -> String? { (url ?? redirectToURL)?.absoluteString }
}

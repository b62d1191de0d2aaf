public import FoundationEssentials
internal import Helpers
internal import SwiftwaterSessions

extension AuthClient {
  /// Asks the server about the user.
  ///
  /// - Parameter jwt: A token of the user; the session's unless given.
  /// - Throws: `AuthError`; `CancellationError`.
  public func user(jwt: String? = nil) async throws -> User {
    let request = AuthRequest(.get, "user")
    guard let jwt else { return try await authorized(request) }
    return try await api.value(try request.bearer(jwt))
  }

  /// Changes the user.
  ///
  /// - Parameters:
  ///   - user: What changes. A new address or number has to be confirmed.
  ///   - redirectTo: Where the mail to a new address leads; the configured address unless given.
  /// - Returns: The changed user, which the session has from now on.
  /// - Throws: `AuthError`, of the kind `.refreshDiscarded` if the user has changed, but somebody has signed out or in
  ///   meanwhile; `CancellationError`.
  @discardableResult
  public func update(user: UserAttributes, redirectTo: URL? = nil) async throws -> User {
    let request: AuthRequest
    if user.email == nil {
      request = try AuthRequest(.put, "user", query: ["redirect_to": redirect(redirectTo)]).json(user)
    } else {
      let members = (try? JSONValue(user).objectValue) ?? [:]
      request = try AuthRequest(.put, "user", query: ["redirect_to": redirect(redirectTo)])
        .json(members.merging(try beginFlow().members) { first, _ in first })
    }
    let updated: User = try await authorized(request)
    do {
      try await sessions.update { grant in
        guard grant.session.user.id == updated.id else { throw AuthError.discarded }
        grant.session.user = updated
      }
    } catch {
      throw AuthError.session(error)
    }
    return updated
  }

  /// Asks the server how the user can sign in.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func userIdentities() async throws -> [UserIdentity] { try await user().identities ?? [] }

  /// Links an account at a provider to the user, in a browser that the caller opens.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - scopes: What is asked for besides, separated by spaces.
  ///   - redirectTo: Where it leads back to; the configured address unless given. That goes to ``session(from:)``.
  ///   - queryParams: Further parameters for the provider.
  ///   - launchURL: Opens the address.
  /// - Throws: `AuthError`; `CancellationError`.
  public func linkIdentity(
    provider: Provider, scopes: String? = nil, redirectTo: URL? = nil,
    queryParams: [(name: String, value: String?)] = [], launchURL: @MainActor (_ url: URL) -> Void
  ) async throws {
    let response = try await getLinkIdentityURL(
      provider: provider, scopes: scopes, redirectTo: redirectTo, queryParams: queryParams)
    await launchURL(response.url)
  }

  /// The address that linking an account at a provider begins at. What it leads back to goes to ``session(from:)``.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - scopes: What is asked for besides, separated by spaces.
  ///   - redirectTo: Where it leads back to; the configured address unless given.
  ///   - queryParams: Further parameters for the provider.
  /// - Throws: `AuthError`; `CancellationError`.
  public func getLinkIdentityURL(
    provider: Provider, scopes: String? = nil, redirectTo: URL? = nil,
    queryParams: [(name: String, value: String?)] = []
  ) async throws -> OAuthResponse {
    struct Answer: Decodable {
      let url: URL
    }
    var request = authorization(
      "user", "identities", "authorize", provider: provider, scopes: scopes, redirectTo: redirectTo,
      queryParams: queryParams, flow: try beginFlow())
    request.query.append(("skip_http_redirect", "true"))
    let answer: Answer = try await authorized(request)
    return OAuthResponse(provider: provider, url: answer.url)
  }

  /// Links an account at a provider to the user by a token that the provider has issued to the app.
  ///
  /// - Returns: The session, whose user has the identity.
  /// - Throws: `AuthError`, with the code `.identityAlreadyExists` if it is another user's; `CancellationError`.
  @discardableResult
  public func linkIdentityWithIdToken(credentials: OpenIDConnectCredentials) async throws -> Session {
    try await upgrade(
      try AuthRequest(.post, "token", query: ["grant_type": "id_token"])
        .json(credentials.members(linksIdentity: true)), event: .userUpdated)
  }

  /// Takes an identity from the user, who cannot sign in with it any more.
  ///
  /// - Throws: `AuthError`, with the code `.singleIdentityNotDeletable` if there is no other; `CancellationError`.
  public func unlinkIdentity(_ identity: UserIdentity) async throws {
    _ = try await authorized(AuthRequest(.delete, "user", "identities", identity.identityId.uuidString))
  }

  /// What the server allows, such as which providers can be signed in with.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func settings() async throws -> AuthSettings { try await api.value(AuthRequest(.get, "settings")) }

  /// What the server says of itself.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func health() async throws -> AuthHealth { try await api.value(AuthRequest(.get, "health")) }
}

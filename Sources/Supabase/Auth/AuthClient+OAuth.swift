public import FoundationEssentials
internal import Helpers

extension AuthClient {
  /// The address that a sign-in at a provider begins at, for who opens it by own means. What it leads back to goes to
  /// ``session(from:)``.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - scopes: What is asked for besides, separated by spaces.
  ///   - redirectTo: Where it leads back to; the configured address unless given.
  ///   - queryParams: Further parameters for the provider.
  /// - Throws: `AuthError` of the kind `.storage` if the flow's secret cannot be kept, or `.invalidRequest`.
  public func getOAuthSignInURL(
    provider: Provider, scopes: String? = nil, redirectTo: URL? = nil,
    queryParams: [(name: String, value: String?)] = []
  ) throws -> URL {
    try api.address(
      authorization("authorize", provider, scopes, redirectTo, queryParams, flow: try beginFlow()))
  }

  /// Signs in at a provider, in a browser that the caller opens.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - redirectTo: Where it leads back to; the configured address unless given.
  ///   - scopes: What is asked for besides, separated by spaces.
  ///   - queryParams: Further parameters for the provider.
  ///   - launchFlow: Opens the address and returns the one that it has led back to.
  /// - Throws: `AuthError`, of the kind `.oauthFlowFailed` if the provider or the user has declined; what `launchFlow`
  ///   throws; `CancellationError`.
  @discardableResult
  public func signInWithOAuth(
    provider: Provider, redirectTo: URL? = nil, scopes: String? = nil,
    queryParams: [(name: String, value: String?)] = [],
    launchFlow: @MainActor @Sendable (_ url: URL) async throws -> URL
  ) async throws -> Session {
    let flow = try beginFlow()
    let url = try api.address(authorization("authorize", provider, scopes, redirectTo, queryParams, flow: flow))
    return try await session(from: try await launchFlow(url), flow: flow)
  }

  /// Begins a single sign-on for a domain.
  ///
  /// - Parameters:
  ///   - domain: The domain of the user's address.
  ///   - redirectTo: Where it leads back to; the configured address unless given.
  ///   - captchaToken: The proof that a person is at work.
  /// - Returns: The address to open. What it leads back to goes to ``session(from:)``.
  /// - Throws: `AuthError`; `CancellationError`.
  public func signInWithSSO(
    domain: String, redirectTo: URL? = nil, captchaToken: String? = nil
  ) async throws -> SSOResponse {
    try await signInWithSSO("domain", domain, redirectTo, captchaToken)
  }

  /// Begins a single sign-on at an identity provider.
  ///
  /// - Parameters:
  ///   - providerId: The provider's identifier.
  ///   - redirectTo: Where it leads back to; the configured address unless given.
  ///   - captchaToken: The proof that a person is at work.
  /// - Returns: The address to open. What it leads back to goes to ``session(from:)``.
  /// - Throws: `AuthError`; `CancellationError`.
  public func signInWithSSO(
    providerId: String, redirectTo: URL? = nil, captchaToken: String? = nil
  ) async throws -> SSOResponse {
    try await signInWithSSO("provider_id", providerId, redirectTo, captchaToken)
  }

  private func signInWithSSO(
    _ name: String, _ value: String, _ redirectTo: URL?, _ captchaToken: String?
  ) async throws -> SSOResponse {
    var members = JSONObject.members([
      "redirect_to": .text(redirect(redirectTo)), "gotrue_meta_security": .captcha(captchaToken),
    ])
    members[name] = .string(value)
    return try await api.value(
      try AuthRequest(.post, "sso").json(members.merging(try beginFlow().members) { first, _ in first }))
  }

  /// The request that leads to a provider.
  func authorization(
    _ path: String..., provider: Provider, scopes: String?, redirectTo: URL?,
    queryParams: [(name: String, value: String?)], flow: CodeVerifiers.Flow?
  ) -> AuthRequest {
    var request = AuthRequest(
      .get, path: path,
      query: [
        "provider": provider.rawValue, "scopes": scopes, "redirect_to": redirect(redirectTo),
        "code_challenge": flow.map { PKCE.challenge(of: $0.verifier) },
        "code_challenge_method": flow.map { _ in PKCE.method },
      ])
    request.query += queryParams.map { ($0.name, $0.value ?? "") }
    return request
  }

  private func authorization(
    _ path: String, _ provider: Provider, _ scopes: String?, _ redirectTo: URL?,
    _ queryParams: [(name: String, value: String?)], flow: CodeVerifiers.Flow?
  ) -> AuthRequest {
    authorization(
      path, provider: provider, scopes: scopes, redirectTo: redirectTo, queryParams: queryParams, flow: flow)
  }
}

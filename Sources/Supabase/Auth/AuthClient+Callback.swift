public import FoundationEssentials
internal import Helpers

extension AuthClient {
  /// Signs in by the address that a browser or mail has led back to.
  ///
  /// - Parameter url: The address, with a code, or in the implicit flow with tokens; or with what went wrong.
  /// - Throws: `AuthError`, of the kind `.oauthFlowFailed` with the provider's or server's words and code if it tells
  ///   of a failure, or is of no flow that this client has begun; `CancellationError`.
  @discardableResult
  public func session(from url: URL) async throws -> Session {
    try await session(from: url, flow: nil)
  }

  /// Takes an address that an app was opened by, and signs in by it in the background. The outcome is an event of
  /// ``authStateChanges``; failures are logged. Use ``session(from:)`` to wait for it.
  public func handle(_ url: URL) {
    tasks.start("supabase.auth.callback") { [weak self] in
      do {
        try await self?.session(from: url)
      } catch {
        // Not the address, which may hold a code.
        self?.configuration.logger.log(.error, "sign-in by URL failed", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Signs in by a code that a browser or mail has brought back.
  ///
  /// - Throws: `AuthError`, of the kind `.oauthFlowFailed` if it is of no flow that this client has begun;
  ///   `CancellationError`.
  @discardableResult
  public func exchangeCodeForSession(authCode: String) async throws -> Session {
    try await exchange(authCode, flows: try verifiers.candidates())
  }

  /// - Parameter flow: The flow that it belongs to, if that is known.
  func session(from url: URL, flow: CodeVerifiers.Flow?) async throws -> Session {
    let callback = try AuthCallback(url)
    if let failure = callback.failure { throw failure }
    switch configuration.flowType {
    case .pkce:
      guard let code = callback["code"] else {
        throw AuthError(
          kind: .oauthFlowFailed,
          message: "The address has no code. Tokens in an address are only accepted with flowType .implicit.")
      }
      return try await exchange(code, flows: try flow.map { [$0] } ?? verifiers.candidates())
    case .implicit:
      let session = try await session(from: callback)
      try await keep(
        session, events: callback["type"] == "recovery" ? [.signedIn, .passwordRecovery] : [.signedIn])
      return session
    }
  }

  private func session(from callback: AuthCallback) async throws -> Session {
    guard let accessToken = callback["access_token"], let refreshToken = callback["refresh_token"],
      let expiresIn = callback["expires_in"].flatMap(Double.init), expiresIn.isFinite
    else {
      throw AuthError(
        kind: .oauthFlowFailed,
        message: "The address has no tokens. Codes in an address are only accepted with flowType .pkce.")
    }
    let tokenType = callback["token_type"] ?? "bearer"
    return Session(
      providerToken: callback["provider_token"], providerRefreshToken: callback["provider_refresh_token"],
      accessToken: accessToken, tokenType: tokenType, expiresIn: expiresIn,
      expiresAt: callback["expires_at"].flatMap(Double.init) ?? Date().timeIntervalSince1970 + expiresIn,
      refreshToken: refreshToken,
      // The server, not the address, tells whose token it is.
      user: try await api.value(
        try AuthRequest(.get, "user").authorized(by: "\(tokenType) \(accessToken)")))
  }

  /// Tries the secrets of the flows that may have led to the code.
  private func exchange(_ code: String, flows: [CodeVerifiers.Flow]) async throws -> Session {
    var refusal: AuthError?
    for flow in flows {
      do {
        let session: Session = try await api.value(
          try AuthRequest(.post, "token", query: ["grant_type": "pkce"])
            .json(["auth_code": .string(code), "code_verifier": .string(flow.verifier)]))
        do { try verifiers.finish(flow) } catch {
          // Its secret is spent, so nothing but a place among the kept ones is lost.
          configuration.logger.log(.error, "finished sign-in cannot be removed", metadata: ["error": "\(error)"])
        }
        try await keep(session, events: flow.isRecovery ? [.signedIn, .passwordRecovery] : [.signedIn])
        return session
      } catch let error as AuthError where error.meansAnotherFlow {
        refusal = error
      }
    }
    throw AuthError(
      kind: .oauthFlowFailed,
      message: "The code is of no sign-in that this client has begun, or of one that is long ago; begin again.",
      errorCode: refusal?.errorCode ?? .flowStateNotFound, response: refusal?.response, underlyingError: refusal)
  }
}

extension AuthError {
  /// Whether the secret is that of another flow than the code. Servers of 2023 and before say it in words only.
  fileprivate var meansAnotherFlow: Bool {
    errorCode == .badCodeVerifier || errorCode == .unknown && message.contains("code challenge does not match")
  }
}

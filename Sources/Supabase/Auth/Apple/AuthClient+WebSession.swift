#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices
  public import Foundation

  extension AuthClient {
    /// Signs in at a provider, in the system's own browser sheet.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - redirectTo: Where it leads back to; the configured address unless given. Its scheme must be the app's own.
    ///   - scopes: What is asked for besides, separated by spaces.
    ///   - queryParams: Further parameters for the provider.
    ///   - configure: Changes the sheet before it is shown, such as its presentation context.
    /// - Throws: `AuthError`; the sheet's own error, if the user has closed it; `CancellationError`.
    @discardableResult
    public func signInWithOAuth(
      provider: Provider, redirectTo: URL? = nil, scopes: String? = nil,
      queryParams: [(name: String, value: String?)] = [],
      configure: @escaping @MainActor @Sendable (_ session: ASWebAuthenticationSession) -> Void = { _ in }
    ) async throws -> Session {
      guard let scheme = (redirectTo ?? configuration.redirectToURL)?.scheme else {
        throw AuthError(
          kind: .invalidRequest, message: "The sheet needs redirectTo, or redirectToURL in the configuration.")
      }
      return try await signInWithOAuth(
        provider: provider, redirectTo: redirectTo, scopes: scopes, queryParams: queryParams
      ) { url in
        try await withCheckedThrowingContinuation { continuation in
          let session = ASWebAuthenticationSession(url: url, callbackURLScheme: scheme) { callback, error in
            if let callback {
              continuation.resume(returning: callback)
            } else {
              continuation.resume(throwing: error ?? ASWebAuthenticationSessionError(.canceledLogin))
            }
          }
          configure(session)
          session.start()
        }
      }
    }
  }
#endif

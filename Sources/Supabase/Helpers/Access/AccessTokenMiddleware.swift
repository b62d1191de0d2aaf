/// Sends the token that a provider gives as `Authorization: Bearer`.
///
/// For a module that is used without the facade: add it to `http.middlewares`. The provider is asked for every attempt of
/// every request, so it returns a token that it keeps and renews. A request that names an `Authorization` itself, by the
/// call or by the client's headers, goes out with that one; without a token the module's own default stands.
///
/// ```swift
/// let signedIn = AccessTokenMiddleware { try await session.accessToken() }
/// var http = HTTPClientConfiguration.default
/// http.middlewares.append(signedIn)
/// ```
public struct AccessTokenMiddleware: ClientMiddleware {
  private let accessToken: @Sendable () async throws -> String?

  /// Takes the provider. What it throws reaches the caller as the module's error of the kind `.accessToken`;
  /// cancellation stays `CancellationError`.
  public init(accessToken: @escaping @Sendable () async throws -> String?) {
    self.accessToken = accessToken
  }

  /// Adds the token to a request that has no `Authorization`.
  public func intercept(
    _ request: HTTPRequest, body: HTTPBody?, next: Next
  ) async throws -> (HTTPResponse, HTTPBody) {
    guard !request.headerFields.contains(.authorization) else { return try await next(request, body) }
    var request = request
    do {
      request.headerFields[.authorization] = try await accessToken().map { "Bearer \($0)" }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw AccessTokenError(underlyingError: error)
    }
    return try await next(request, body)
  }
}

/// Lets a project's key stand for the bearer, on requests that have none after all other middlewares.
package struct APIKeyMiddleware: ClientMiddleware {
  /// Has no settings: the key is the request's own.
  package init() {}

  /// Adds `Authorization` from the request's `apikey`.
  package func intercept(
    _ request: HTTPRequest, body: HTTPBody?, next: Next
  ) async throws -> (HTTPResponse, HTTPBody) {
    guard let key = request.headerFields[.apikey], !request.headerFields.contains(.authorization) else {
      return try await next(request, body)
    }
    var request = request
    request.headerFields[.authorization] = "Bearer \(key)"
    return try await next(request, body)
  }
}

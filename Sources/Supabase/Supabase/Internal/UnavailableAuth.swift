internal import Auth
internal import Helpers

/// Stands before the requests of an Auth client that is of no use.
struct UnavailableAuth: ClientMiddleware {
  func intercept(_ request: HTTPRequest, body: HTTPBody?, next: Next) async throws -> (HTTPResponse, HTTPBody) {
    throw AuthError(
      kind: .invalidRequest,
      message:
        "This client's tokens come from elsewhere (accessToken), so it signs nobody in. Use another client's auth.")
  }
}

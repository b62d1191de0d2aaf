/// Sends `TraceContext.current` along, so that the server's work joins the caller's trace. Without one, and where the
/// request names one itself, it changes nothing.
public struct TraceContextMiddleware: ClientMiddleware {
  /// Has no settings.
  public init() {}

  /// Adds `traceparent` and `tracestate` where they are missing and a context is current.
  public func intercept(
    _ request: HTTPRequest, body: HTTPBody?, next: Next
  ) async throws -> (HTTPResponse, HTTPBody) {
    guard let context = TraceContext.current, !request.headerFields.contains(.traceparent) else {
      return try await next(request, body)
    }
    var request = request
    request.headerFields[.traceparent] = context.traceparent
    request.headerFields[.tracestate] = context.state
    return try await next(request, body)
  }
}

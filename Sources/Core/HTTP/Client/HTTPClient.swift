/// Sends requests through the middlewares to the transport.
///
/// A cancelled task gets `CancellationError`, for the head and for the body, whatever the transport throws.
public struct HTTPClient: Sendable {
  private let configuration: HTTPClientConfiguration

  /// A client on that stack.
  public init(configuration: HTTPClientConfiguration) {
    self.configuration = configuration
  }

  /// Sends a request and returns when the response's head is there.
  ///
  /// - Throws: `HTTPError` from the transport, `CancellationError`, and what a middleware throws.
  public func send(_ request: HTTPRequest, body: HTTPBody? = nil) async throws -> (HTTPResponse, HTTPBody) {
    var request = request
    request.timeout = request.timeout ?? configuration.timeout
    do {
      return try await Self.run(configuration.middlewares[...], configuration.transport, request, body)
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }

  private static func run(
    _ middlewares: ArraySlice<any ClientMiddleware>, _ transport: any ClientTransport, _ request: HTTPRequest,
    _ body: HTTPBody?
  ) async throws -> (HTTPResponse, HTTPBody) {
    guard let middleware = middlewares.first else { return try await transport.send(request, body: body) }
    return try await middleware.intercept(request, body: body) { request, body in
      try await run(middlewares.dropFirst(), transport, request, body)
    }
  }
}

/// Sends requests through the middlewares to the transport.
///
/// The order, outermost first: retry, the middlewares of the configuration, those of the SDK, the log, the transport. So
/// every attempt passes all middlewares again, and each gets a fresh token. Fields that a request lacks come from
/// `headerFields` before all of them: what is set for a call wins over what is configured, and a configured
/// `Authorization` over a token middleware that respects it.
///
/// A cancelled task gets `CancellationError`, for the head and for the body, whatever the transport throws.
public struct HTTPClient: Sendable {
  private let transport: any ClientTransport
  private let middlewares: [any ClientMiddleware]
  private let timeout: Duration
  private let headerFields: HTTPFields
  private let logger: ClientLogger

  /// A client on that stack.
  ///
  /// - Parameters:
  ///   - configuration: transport, the user's middlewares and the idle timeout.
  ///   - headerFields: fields for requests that have none of that name.
  ///   - retry: what is sent again; nothing unless given.
  ///   - middlewares: the SDK's own, which run behind the user's.
  ///   - logger: told of traffic at `trace`, of failures at `error`. By default it writes to standard error what
  ///     `SWIFTWATER_LOG` asks for, under the label `swiftwater.http`; see `ClientLogger`.
  ///   - clock: the clock that waits before retries.
  public init(
    configuration: HTTPClientConfiguration, headerFields: HTTPFields = [:], retry: RetryPolicy = .never,
    middlewares: [any ClientMiddleware] = [], logger: ClientLogger = ClientLogger(label: "swiftwater.http"),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    transport = configuration.transport
    timeout = configuration.timeout
    self.headerFields = headerFields
    self.logger = logger
    var chain = configuration.middlewares + middlewares
    if retry.attempts > 1 { chain.insert(RetryMiddleware(policy: retry, clock: clock), at: 0) }
    if logger.isEnabled(.trace) { chain.append(LogMiddleware(logger: logger)) }
    self.middlewares = chain
  }

  /// Sends a request and returns when the response's head is there.
  ///
  /// - Throws: `HTTPError` from the transport, `CancellationError`, and what a middleware throws.
  public func send(_ request: HTTPRequest, body: HTTPBody? = nil) async throws -> (HTTPResponse, HTTPBody) {
    var request = request
    request.timeout = request.timeout ?? timeout
    request.headerFields = request.headerFields.merging(defaults: headerFields)
    do {
      return try await Self.run(middlewares[...], transport, request, body)
    } catch {
      try Task.checkCancellation()
      if !(error is CancellationError) {
        logger.log(
          .error, "HTTP request failed",
          metadata: ["method": request.method.rawValue, "path": request.path, "error": LogMiddleware.kind(of: error)])
      }
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

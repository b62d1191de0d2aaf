public import SwiftwaterHTTP
public import SwiftwaterHTTPServer
public import SwiftwaterPostgres
internal import SwiftwaterStreams

/// Registers users and signs them in over HTTP as GoTrue, the Auth server of Supabase, does.
///
/// Everything it knows lies in the database's schema `auth`, so several services may share one; a process counts rate
/// limits for itself. What a flow changes it changes in one transaction.
///
/// Threading: may be used from anywhere at once.
public struct AuthService: Sendable {
  private let handler: HTTPServer.Handler
  private let address: LockIsolated<String>

  /// Serves the users of the database behind `pool`, whose user must own the schema `auth`.
  ///
  /// - Parameters:
  ///   - pool: for what is over soon.
  ///   - passwordPool: for what hashes a password. It keeps a processor busy for some time, so there should not be more
  ///     connections than processors.
  ///   - tokens: signs access tokens.
  ///   - delivery: takes mails and text messages to users; nil where nothing does, and requests that want one fail.
  ///   - transport: reaches OpenID providers; nil where there are none.
  ///   - isDevelopment: whether everything comes from the developer's machine, where rate limits would only get in the
  ///     way unless they are asked for.
  public init(
    pool: PostgresPool, passwordPool: PostgresPool, tokens: AuthTokens, configuration: Configuration = Configuration(),
    delivery: (any MessageDelivery)? = nil, providerTransport transport: (any ClientTransport)? = nil,
    isDevelopment: Bool = false
  ) {
    let address = LockIsolated(configuration.externalURL ?? "http://127.0.0.1/auth/v1")
    self.address = configuration.externalURL == nil ? address : LockIsolated("")
    handler =
      AuthEndpoints(
        configuration: configuration, database: AuthDatabase(pool: pool, passwordPool: passwordPool), tokens: tokens,
        delivery: delivery,
        transport: transport,
        limiter: RateLimiter(
          configuration.rateLimits, isEnabled: configuration.rateLimits.isEnabled ?? !isDevelopment),
        address: address
      ).router.handler
  }

  /// Tells the service where it can be reached, for what it sends to users. A configured `externalURL` stays.
  public func listens(at url: String) {
    address.withLock { $0 = url }
  }

  /// Answers one request.
  ///
  /// - Parameter target: path and query as sent, without the prefix that the service is mounted at: `/user`.
  /// - Throws: `CancellationError` and what reading the body throws; everything else is an answer.
  public func respond(to request: ServerRequest, target: String) async throws -> ServerResponse {
    var request = request
    request.head.path = target.hasPrefix("/") ? target : "/" + target
    return try await handler(request)
  }
}

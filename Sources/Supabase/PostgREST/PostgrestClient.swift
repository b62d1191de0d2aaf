internal import Helpers

/// Reads and writes the tables of a PostgREST server.
///
/// ```swift
/// let client = PostgrestClient(configuration: .init(url: url, headers: [.apikey: key]))
/// let open: [Todo] = try await client.from("todos").select().eq("done", value: false).execute().value
/// ```
///
/// Threading: a client may be used from anywhere at once. Every call is cancellable and then throws
/// `CancellationError`; every other error is a `PostgrestError`.
public final class PostgrestClient: Sendable {
  /// How the client is set up.
  public let configuration: Configuration
  let http: HTTPClient
  private let accessToken: AccessTokenMiddleware?

  /// A client of the server at `configuration.url`.
  public convenience init(configuration: Configuration) {
    self.init(configuration: configuration, accessToken: nil)
  }

  /// - Parameter accessToken: stands behind the middlewares of the configuration; nil to use nothing but the key.
  package init(configuration: Configuration, accessToken: AccessTokenMiddleware?) {
    self.configuration = configuration
    self.accessToken = accessToken
    let access: [any ClientMiddleware] = accessToken.map { [$0] } ?? []
    http = HTTPClient(
      configuration: configuration.http, retry: .postgrest,
      middlewares: [TraceContextMiddleware()] + access + [APIKeyMiddleware()], logger: configuration.logger,
      clock: configuration.clock)
  }

  /// Begins a request on a table or view.
  public func from(_ table: String) -> PostgrestQueryBuilder {
    PostgrestQueryBuilder(client: self, request: PostgrestRequest(relation: table))
  }

  /// A client of another exposed schema of the same database.
  public func schema(_ schema: String) -> PostgrestClient {
    var configuration = configuration
    configuration.schema = schema
    return PostgrestClient(configuration: configuration, accessToken: accessToken)
  }
}

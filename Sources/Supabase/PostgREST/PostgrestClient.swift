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

  /// A client of the server at `configuration.url`.
  public init(configuration: Configuration) {
    self.configuration = configuration
    http = HTTPClient(
      configuration: configuration.http, retry: .postgrest,
      middlewares: [TraceContextMiddleware(), APIKeyMiddleware()], logger: configuration.logger,
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
    return PostgrestClient(configuration: configuration)
  }
}

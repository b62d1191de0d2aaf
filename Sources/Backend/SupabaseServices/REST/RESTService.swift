internal import SwiftwaterHTTP
public import SwiftwaterHTTPServer
public import SwiftwaterPostgres

/// Serves tables of a PostgreSQL database over HTTP as PostgREST does.
///
/// A request is parsed, looked up, turned into one SQL statement and answered with the bytes that PostgreSQL made of
/// it. Each runs as the role that its token names, with its claims in `request.jwt.claims`, so that row-level security
/// decides what it may see.
public struct RESTService: Sendable {
  /// How the service presents a database.
  public struct Configuration: Sendable {
    /// The schemas that are exposed; the first is the default.
    public var schemas: [String]
    /// The role of requests without a token.
    public var anonymousRole: String
    /// Signs and verifies tokens (HS256).
    public var jwtSecret: String

    /// - Parameters:
    ///   - schemas: `public` unless given.
    ///   - anonymousRole: `anon` unless given.
    public init(
      schemas: [String] = ["public"], anonymousRole: String = "anon", jwtSecret: String
    ) {
      self.schemas = schemas
      self.anonymousRole = anonymousRole
      self.jwtSecret = jwtSecret
    }
  }

  private let configuration: Configuration
  private let pool: PostgresPool
  private let relations: RelationCache

  /// Serves the database behind `pool`, whose user must be allowed to take on the roles that tokens name.
  public init(pool: PostgresPool, configuration: Configuration) {
    self.pool = pool
    self.configuration = configuration
    relations = RelationCache(pool: pool)
  }

  /// Answers one request.
  ///
  /// - Parameter target: path and query as sent, without the prefix that the service is mounted at: `/todos?id=eq.1`.
  /// - Throws: `CancellationError` and what reading the body throws; everything else is an answer.
  public func respond(to request: ServerRequest, target: String) async throws -> ServerResponse {
    var caller = RESTCaller(role: configuration.anonymousRole, isAnonymous: true, claims: nil)
    do {
      caller = try RESTCaller(request.head.headerFields, configuration)
      return try await answer(request, target: target, caller: caller)
    } catch let error as RESTError {
      return RESTResponse.failure(error)
    } catch let error as PostgresError {
      return RESTResponse.failure(RESTError(error, isAnonymous: caller.isAnonymous))
    }
  }

  private func answer(_ request: ServerRequest, target: String, caller: RESTCaller) async throws -> ServerResponse {
    let head = request.head
    let parsed = try RESTRequest(
      method: head.method, target: target, fields: head.headerFields, schemas: configuration.schemas)
    // The server limits what it lets through.
    let payload: Payload? =
      switch parsed.action {
      case .insert, .update: try Payload(try await request.body.collect(upTo: .max), columns: parsed.columns)
      case .read, .delete: nil
      }
    let result = try await run(parsed, payload, head: head, caller: caller)
    return try RESTResponse.success(parsed, result)
  }

  // A function may have changed settings beyond its own transaction; the next caller is not to inherit them. The role
  // is no such setting: the context sets it each time.
  private static let reset: PostgresStatement = "RESET ALL"

  private func run(
    _ request: RESTRequest, _ payload: Payload?, head: HTTPRequest, caller: RESTCaller
  ) async throws -> PostgresResult {
    let known = try await relations.relation(schema: request.schema, name: request.relation)
    do {
      return try await execute(request, payload, known, head: head, caller: caller)
    } catch {
      // The relation may have changed since it was looked up. The statement was not run or has failed as a whole, so
      // running what becomes of it does nothing twice.
      guard RelationCache.mayBeStale(error) else { throw error }
      let fresh = try await relations.relation(schema: request.schema, name: request.relation, isRefreshed: true)
      if fresh == known, !Self.isFailedCheck(error) { throw error }
      return try await execute(request, payload, fresh, head: head, caller: caller)
    }
  }

  /// Where a request's batch has its statement and the check behind it.
  private static let (statementIndex, checkIndex) = (2, 3)

  private static func isFailedCheck(_ error: any Error) -> Bool {
    (error as? PostgresError)?.statementIndex == checkIndex
  }

  private func execute(
    _ request: RESTRequest, _ payload: Payload?, _ relation: Relation, head: HTTPRequest, caller: RESTCaller
  ) async throws -> PostgresResult {
    let plan = try Plan(request, payload, relation)
    let context = caller.context(head: head, path: request.path, schema: request.schema)
    var statements = [Self.reset, context, plan.statement]
    // Without values there are no types that could be outdated.
    if !plan.statement.parameters.isEmpty { statements.append(RelationCache.check(of: relation)) }
    let results = try await pool.execute(statements)
    guard results.indices.contains(Self.statementIndex) else { throw RESTError.databaseUnavailable }
    return results[Self.statementIndex]
  }
}

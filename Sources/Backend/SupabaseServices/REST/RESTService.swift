internal import FoundationEssentials
internal import SwiftwaterHTTP
public import SwiftwaterHTTPServer
public import SwiftwaterPostgres
internal import SwiftwaterTokens

/// Serves tables and functions of a PostgreSQL database over HTTP as PostgREST does.
///
/// A request is parsed, looked up, turned into one SQL statement and answered with the bytes that PostgreSQL made of
/// it. Each runs as the role that its token names, with its claims in `request.jwt.claims`, so that row-level security
/// decides what it may see.
public struct RESTService: Sendable {
  let configuration: Configuration
  private let pool: PostgresPool
  let catalogs: CatalogCache
  let verifier: JWTVerifier

  /// Serves the database behind `pool`, whose user must be allowed to take on the roles that tokens name.
  public init(pool: PostgresPool, configuration: Configuration) {
    self.pool = pool
    self.configuration = configuration
    catalogs = CatalogCache(pool: pool, configuration: configuration)
    verifier = JWTVerifier(configuration.tokens)
  }

  /// Reads what the database consists of, so that the first request need not wait for it.
  public func prepare() async throws {
    _ = try await catalogs.current()
  }

  /// The database's schema has changed; what is known of it is read again before the next request.
  public func reloadSchema() {
    catalogs.invalidate()
  }

  /// Answers one request.
  ///
  /// - Parameter target: path and query as sent, without the prefix that the service is mounted at: `/todos?id=eq.1`.
  /// - Throws: `CancellationError` and what reading the body throws; everything else is an answer.
  public func respond(to request: ServerRequest, target: String) async throws -> ServerResponse {
    var timing = Timing(isEnabled: configuration.reportsTiming)
    var response = try await respond(to: request, target: target, &timing)
    timing.end(of: .response)
    if let text = timing.text { response.head.headerFields[.serverTiming] = text }
    if let name = configuration.traceField.flatMap({ HTTPField.Name($0) }), let value = request.head.headerFields[name]
    {
      response.head.headerFields[name] = value
    }
    if !response.head.headerFields.contains(.vary) {
      response.head.headerFields.append(HTTPField(name: .vary, value: "Accept, Prefer, Range"))
    }
    return response
  }

  private func respond(
    to request: ServerRequest, target: String, _ timing: inout Timing
  ) async throws -> ServerResponse {
    var isAnonymous = true
    do {
      let caller = try RESTCaller(
        request.head.headerFields, verifier: verifier, rolePath: configuration.rolePath,
        anonymousRole: configuration.anonymousRole)
      isAnonymous = caller.isAnonymous
      timing.end(of: .jwt)
      let catalog = try await catalogs.current()
      let form = RequestForm(request.head, target: target)
      let cached = form.flatMap(catalog.cachedRequest)
      let parsed =
        try cached?.request(form?.values ?? []) ?? RESTRequest(request.head, target: target, catalog.configuration)
      let payload: Payload? =
        switch parsed.action {
        // The server limits what it lets through.
        case .insert, .update, .put, .call: try await payload(try await request.body.collect(upTo: .max), of: parsed)
        case .read, .delete, .options: nil
        }
      timing.end(of: .parse)
      let arrival = Arrival(
        head: request.head, target: target, caller: caller, catalog: catalog, form: form, cached: cached,
        request: parsed, payload: payload)
      return try await answer(arrival, &timing)
    } catch let error as RESTError {
      return RESTResponse.failure(error, isTerse: configuration.isTerse)
    } catch let error as PostgresError {
      return RESTResponse.failure(
        RESTError(error, isAnonymous: isAnonymous), isTerse: configuration.isTerse)
    }
  }

  /// Reads a body; a large one elsewhere than on the caller's thread, which may be that of all connections.
  private func payload(_ body: [UInt8], of request: RESTRequest) async throws -> Payload {
    if body.count <= Self.briefBytes { return try Payload(body, of: request) }
    return try await withTaskExecutorPreference(globalConcurrentExecutor) { try Payload(body, of: request) }
  }

  /// So much is read in a fraction of a millisecond.
  private static let briefBytes = 64 * 1024

  /// A request that has been read.
  private struct Arrival {
    let head: HTTPRequest
    let target: String
    let caller: RESTCaller
    /// By which it has been read.
    let catalog: Catalog
    let form: RequestForm?
    /// What was known of its form; then `request` lacks the values.
    let cached: CachedRequest?
    let request: RESTRequest
    let payload: Payload?

    func plan(_ catalog: Catalog) throws(RESTError) -> Plan {
      guard let form else { return try Plan(request, payload, catalog) }
      let known = catalog === self.catalog ? cached : catalog.cachedRequest(of: form)
      if let plan = known?.plan(form.values, payload) { return plan }
      let whole = cached == nil ? request : try RESTRequest(head, target: target, catalog.configuration)
      let plan = try Plan(whole, payload, catalog)
      catalog.remember(plan, payload, form, head)
      return plan
    }
  }

  private func answer(_ arrival: Arrival, _ timing: inout Timing) async throws -> ServerResponse {
    do {
      return try await run(arrival, arrival.catalog, &timing)
    } catch {
      // The database may have changed since it was looked up. The statement was not run or has failed as a whole, so
      // running what becomes of it does nothing twice.
      guard Self.mayBeStale(error), let fresh = try await catalogs.newer(than: arrival.catalog) else { throw error }
      return try await run(arrival, fresh, &timing)
    }
  }

  private func run(
    _ arrival: Arrival, _ catalog: Catalog, _ timing: inout Timing
  ) async throws -> ServerResponse {
    let (request, head, caller) = (arrival.request, arrival.head, arrival.caller)
    if request.action == .options { return try RESTResponse.options(request, catalog) }
    if request.target == .root { return try await describe(request, catalog, head: head, caller: caller, &timing) }
    let plan = try arrival.plan(catalog)
    let transaction = transaction(request, plan, catalog, head: head, caller: caller)
    timing.end(of: .plan)
    if plan.isInParts { return try await respondInParts(request, plan, transaction, catalog, &timing) }
    let results = try await pool.execute(
      transaction.statements, brevity: transaction.brevity, cleanup: catalog.cleanup)
    timing.end(of: .transaction)
    guard let result = transaction.answer(results) else { throw RESTError.databaseUnavailable }
    if case .plan = plan.negotiation.mediaType { return RESTResponse.explanation(plan, result) }
    return try RESTResponse.success(
      request, plan, result, total: transaction.total(results, maximumRows: catalog.configuration.maximumRows))
  }

  /// Answers with a body of any size, of which only a few parts are here at a time.
  private func respondInParts(
    _ request: RESTRequest, _ plan: Plan, _ transaction: Transaction, _ catalog: Catalog, _ timing: inout Timing
  ) async throws -> ServerResponse {
    let rows = try pool.rows(of: transaction.answerIndex, in: transaction.statements, cleanup: catalog.cleanup)
    guard let first = try await rows.next() else { throw RESTError.databaseUnavailable }
    let length = first.string(.length).flatMap { Int($0) } ?? 0
    // Most bodies have one part. Then the transaction has ended, too.
    if length <= Plan.partBytes { while try await rows.next() != nil {} }
    timing.end(of: .transaction)
    var response = try RESTResponse.success(request, plan, first, total: first.string(.total).flatMap { Int($0) })
    if length > Plan.partBytes { response.body = RESTResponse.body(first, rows, length: length) }
    return response
  }

  /// The statements that do what a request asks.
  func transaction(
    _ request: RESTRequest, _ plan: Plan, _ catalog: Catalog, head: HTTPRequest, caller: RESTCaller
  ) -> Transaction {
    let context = RequestContext(
      request, head: head, caller: caller, isReadOnly: plan.isReadOnly, routine: plan.routine, catalog)
    return Transaction(request, plan, context, catalog.configuration)
  }

  /// Describes the schema.
  private func describe(
    _ request: RESTRequest, _ catalog: Catalog, head: HTTPRequest, caller: RESTCaller, _ timing: inout Timing
  ) async throws -> ServerResponse {
    let configuration = catalog.configuration
    let types: [MediaType] = [.other("application/openapi+json"), .json, .any]
    guard request.accepted.contains(where: types.contains) else { throw RESTError.notAcceptable(request.accepted) }
    guard configuration.description != .disabled else { throw RESTError.noDescription }
    let context = RequestContext(request, head: head, caller: caller, isReadOnly: true, catalog)
    var statements = [Transaction.reset, context.statement]
    // It may take on another role, whose privileges count then.
    if let preRequest = Transaction.preRequest(configuration) { statements.append(preRequest) }
    statements.append(SchemaDescription.query(schema: request.schema))
    timing.end(of: .plan)
    let results = try await pool.execute(statements, cleanup: catalog.cleanup)
    timing.end(of: .transaction)
    let access = try results.last?.withBytes(row: 0, column: 0) { bytes in
      try JSONDecoder().decode(SchemaDescription.Access.self, from: Data(bytes))
    }
    guard let access else { throw RESTError.databaseUnavailable }
    // Large schemas take their time.
    let description = await withTaskExecutorPreference(globalConcurrentExecutor) {
      SchemaDescription(
        catalog, schema: request.schema, access, isRestricted: configuration.description == .followingPrivileges
      ).json
    }
    var fields: HTTPFields = [.contentType: types[0].contentType]
    if request.isProfiled { fields[.contentProfile] = request.schema }
    return ServerResponse(status: .ok, headerFields: fields, body: request.isHead ? .empty : HTTPBody(description))
  }

  /// Whether an error may come from what was known of the database and has changed: something that is new or gone, a
  /// type that another has replaced.
  private static func mayBeStale(_ error: any Error) -> Bool {
    switch error {
    case let error as RESTError: error.code.hasPrefix("PGRST2")
    case let error as PostgresError: staleStates.contains { (error.sqlState ?? "").hasPrefix($0) }
    default: false
    }
  }

  // 22: a value that does not fit the type that a column once had, and a failed check.
  private static let staleStates: Set<String> = ["42P01", "42703", "42704", "42804", "42846", "42883", "22"]
}

internal import CPostgres

/// One connection of a pool. A batch's statements are sent at once, in libpq's pipeline mode, and end in one `Sync`, which
/// makes them one transaction. Brief batches may follow each other before the first is answered.
///
/// Everything happens on the loop's thread.
final class PoolConnection: LinkOwner {
  let id: PoolScheduler<Batch>.ID
  // The pool forgets a connection that it loses or closes, which ends this cycle.
  private let core: PoolCore
  private let link: Link
  /// The batches under way, and the connection's own housekeeping before and behind them.
  private var flights = Queue<Flight>()
  private var cache: StatementCache
  private var parameters = ParameterBuffer()
  /// PostgreSQL is being asked to cancel; no batch is sent meanwhile, since the request might hit it.
  private var isCancelling = false
  /// A request to cancel has not hit anything yet, as far as is known.
  private var mayBeCancelled = false
  /// What the last batch wants done behind it and is still to be sent.
  private var cleanup: [String] = []
  /// Since when somebody has not taken the rows that are at hand; nothing is read meanwhile.
  private var pausedSince: ContinuousClock.Instant?

  /// How long a connection waits for whoever takes its rows.
  private static let patience = Duration.milliseconds(250)

  init(id: PoolScheduler<Batch>.ID, core: PoolCore, link: Link) {
    self.id = id
    self.core = core
    self.link = link
    cache = StatementCache(capacity: core.configuration.preparedStatements)
    link.owner = self
  }

  /// Begins to connect; call it once.
  func start() { link.start() }

  /// Sends the batch.
  func send(_ batch: Batch) {
    batch.connection = id
    deallocateEvicted()
    let flight = Flight(batch, count: batch.statements.count)
    flights.append(flight)
    for (index, statement) in batch.statements.enumerated() {
      guard send(statement, index, flight) else { return link.fail(.connectionFailed) }
    }
    guard PQpipelineSync(link.connection) == 1 else { return link.fail(.connectionFailed) }
    announceRows()
    link.flush()
  }

  /// The batches behind the first, to be sent again elsewhere. They may be answered here all the same.
  func takeBack() -> [Batch] {
    flights.all.dropFirst().compactMap { flight in
      guard let batch = flight.batch, !flight.isTakenBack, !batch.completion.isFinished else { return nil }
      flight.isTakenBack = true
      return batch
    }
  }

  /// Asks PostgreSQL to stop if the caller has gone whose batch it is working on.
  func cancelIfAbandoned() {
    // Behind housekeeping the batch has to wait: the request is not meant for that.
    guard !isCancelling, flights.first?.batch?.completion.isFinished ?? false else { return }
    (isCancelling, mayBeCancelled) = (true, true)
    core.connection(id, isBlocked: true)
    CancelRequest.send(for: link.connection) { [weak core, id] in core?.cancelEnded(on: id) }
    // What still comes is dropped; the connection may be closed on the way.
    resumeRows()
  }

  /// The request has reached the server or is lost: it cannot hit a later batch any more.
  func cancelEnded() {
    isCancelling = false
    sendCleanup()
    link.flush()
    core.connection(id, isBlocked: false)
  }

  /// Reads on: the rows that were at hand have been taken, or nobody wants them any more.
  func resumeRows() {
    guard pausedSince != nil else { return }
    pausedSince = nil
    link.isPaused = false
    // What libpq has read already makes no socket readable.
    linkReadable()
  }

  /// Closes the connection; a batch under way fails with `error`.
  func close(_ error: PostgresError) {
    link.close()
    failFlights(error)
  }

  // MARK: Reports of the link

  func linkOpened() {
    guard let user = core.configuration.sessionUser else { return enterPipeline() }
    guard PQsendQuery(link.connection, "SET SESSION AUTHORIZATION \(quotedIdentifier(user))") == 1 else {
      return link.fail(.unavailable)
    }
    // No batch is sent before that has succeeded.
    link.isSettingUp = true
    link.flush()
  }

  private func enterPipeline() {
    guard PQenterPipelineMode(link.connection) == 1 else { return link.fail(.unavailable) }
    core.connectionOpened(id)
  }

  private func receiveUser() {
    while PQisBusy(link.connection) == 0 {
      guard let result = PQgetResult(link.connection) else {
        link.isSettingUp = false
        return enterPipeline()
      }
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else { return link.fail(.unavailable) }
    }
  }

  func linkReadable() {
    let isAlive = PQconsumeInput(link.connection) == 1
    if link.isSettingUp { return isAlive ? receiveUser() : link.fail(.unavailable) }
    // A dying server's last words may still be in libpq's buffer.
    guard receive() else { return }
    // A statement may have said LISTEN; libpq would keep what comes.
    while let notification = PQnotifies(link.connection) { PQfreemem(notification) }
    if isAlive { link.flush() } else { link.fail(.connectionFailed) }
    core.pump()
  }

  func linkFailed(_ error: PostgresError) {
    failFlights(error)
    core.connectionLost(id, error)
  }

  func linkTick(_ now: ContinuousClock.Instant) {
    if let pausedSince, now - pausedSince >= Self.patience {
      // Others need the connection: the rest is kept for the slow one.
      flights.first?.batch?.rows?.liftLimit()
      resumeRows()
    }
    // A request to cancel that comes before the batch itself has no effect.
    cancelIfAbandoned()
    core.tick(now)
  }

  // MARK: Sending

  private func send(_ statement: PostgresStatement, _ index: Int, _ flight: Flight) -> Bool {
    var name: String?
    switch statement.isPrepared ? cache.use(statement.sql) : .direct {
    case .direct: break
    case .execute(let known): name = known
    case .prepare(let new):
      guard PQsendPrepare(link.connection, new, statement.sql, 0, nil) == 1 else { return false }
      flight.prepares(index, as: new)
      name = new
    }
    let resultFormat: Int32 = statement.wantsBinary ? 1 : 0
    return parameters.withEncoded(statement.parameters) { count, values, lengths, formats in
      if let name {
        PQsendQueryPrepared(link.connection, name, count, values, lengths, formats, resultFormat) == 1
      } else {
        PQsendQueryParams(link.connection, statement.sql, count, nil, values, lengths, formats, resultFormat) == 1
      }
    }
  }

  /// Frees the names that earlier batches have made useless.
  private func deallocateEvicted() {
    sendHousekeeping(cache.takeEvicted().map { "deallocate \($0)" })
  }

  /// Sends what the last batch wants done behind it, unless a request to cancel might hit that.
  private func sendCleanup() {
    guard !isCancelling else { return }
    sendHousekeeping(cleanup)
    cleanup = []
  }

  /// Sends statements of the connection's own as a transaction.
  private func sendHousekeeping(_ statements: [String]) {
    guard !statements.isEmpty else { return }
    flights.append(Flight(nil, count: statements.count))
    for sql in statements {
      guard PQsendQueryParams(link.connection, sql, 0, nil, nil, nil, nil, 0) == 1 else { return }
    }
    PQpipelineSync(link.connection)
  }

  // MARK: Receiving

  /// Takes what has arrived completely; returns false when the connection had to be closed.
  private func receive() -> Bool {
    // libpq separates results by a null each; two in a row mean that it expects nothing, whatever we do.
    var nulls = 0
    while let flight = flights.first, nulls < 2, !link.isPaused, PQisBusy(link.connection) == 0 {
      guard let result = PQgetResult(link.connection) else {
        nulls += 1
        announceRows()
        continue
      }
      nulls = 0
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        _ = flights.popFirst()
        guard finish(flight) else { return false }
        announceRows()
      case PGRES_SINGLE_TUPLE:
        push(PostgresResult(result), flight)
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        succeed(flight, result)
      case PGRES_PIPELINE_ABORTED:
        PQclear(result)
        if case .prepare(let index, let name) = flight.takeStep() { prepared(flight, index, name, false) }
      case PGRES_FATAL_ERROR:
        fail(flight, result)
        if PQstatus(link.connection) == CONNECTION_BAD { return closeAfterLoss(of: flight) }
      default:
        PQclear(result)
        return reject(flight, "COPY between client and server is not supported")
      }
    }
    flights.first?.batch?.rows?.wake()
    return true
  }

  /// Has libpq hand over the rows of what comes next one by one if they are wanted so; it takes this between two results.
  private func announceRows() {
    if flights.first?.streamsNext ?? false { PQsetSingleRowMode(link.connection) }
  }

  private func push(_ row: PostgresResult, _ flight: Flight) {
    guard let rows = flight.batch?.rows, !rows.push(row) else { return }
    pausedSince = .now
    link.isPaused = true
  }

  private func succeed(_ flight: Flight, _ result: OpaquePointer) {
    switch flight.takeStep() {
    case .prepare(let index, let name):
      PQclear(result)
      prepared(flight, index, name, true)
    case .execute:
      let result = PostgresResult(result)
      if result.commandTag == "COMMIT" { flight.hasCommitted = true }
      flight.results.append(result)
    case nil:
      PQclear(result)
    }
  }

  private func fail(_ flight: Flight, _ result: OpaquePointer) {
    defer { PQclear(result) }
    let index: Int?
    switch flight.takeStep() {
    case .prepare(let prepared, let name):
      index = prepared
      self.prepared(flight, prepared, name, false)
      if Self.isNameTaken(result) {
        cache.changeNames()
        flight.staleStatement = prepared
      }
    case .execute(let executed):
      index = executed
      if Self.isForgotten(result) {
        cache.removeAll()
        flight.staleStatement = executed
      } else if Self.isStalePlan(result) {
        flight.staleStatement = executed
      }
    case nil:
      index = nil
    }
    guard flight.error == nil, let batch = flight.batch else { return }
    var error = PostgresError(result: result, sql: index.map { batch.statements[$0].sql })
    error.statementIndex = index
    flight.error = error
  }

  /// Reports the outcome of a batch whose `Sync` has come back.
  private func finish(_ flight: Flight) -> Bool {
    guard let batch = flight.batch else { return true }
    // With more on the way libpq cannot tell; then all are brief, and begin none.
    if flights.isEmpty, PQtransactionStatus(link.connection) != PQTRANS_IDLE {
      return reject(flight, "a batch must end the transaction that it begins; it has been rolled back")
    }
    // libpq tells the state of the transaction only while nothing is under way, so this is not sent with the batch.
    cleanup = batch.cleanup
    sendCleanup()
    core.finished(batch, on: id)
    // A request to cancel may have come too late for the batch before this one. One that only reads may run again.
    let isCancelled = mayBeCancelled && flight.error?.sqlState == "57014"
    if isCancelled { mayBeCancelled = false }
    let isMistaken = isCancelled && batch.isBrief
    let mayRunAgain = !flight.hasCommitted && !batch.wasRetried && !batch.completion.isFinished
    if flight.isTakenBack, flight.error != nil {
      // What runs elsewhere will tell.
    } else if flight.staleStatement != nil || isMistaken, mayRunAgain {
      // Rolled back as a whole, so running it again is safe.
      if let index = flight.staleStatement { cache.invalidate(batch.statements[index].sql) }
      batch.wasRetried = true
      core.sendAgain(batch)
    } else if let error = flight.error {
      batch.finish(.failure(error))
    } else {
      batch.finish(.success(flight.results))
    }
    return true
  }

  private func prepared(_ flight: Flight, _ index: Int, _ name: String, _ succeeded: Bool) {
    guard let batch = flight.batch else { return }
    cache.prepared(batch.statements[index].sql, as: name, succeeded)
  }

  /// A batch has left the session in a state that no other may inherit.
  private func reject(_ flight: Flight, _ message: String) -> Bool {
    flight.batch?.finish(.failure(PostgresError(.invalidStatement, message)))
    link.close()
    failFlights(.connectionLost)
    core.connectionLost(id, .connectionLost)
    return false
  }

  private func closeAfterLoss(of flight: Flight) -> Bool {
    let error = flight.error ?? .connectionLost
    link.close()
    failFlights(error)
    core.connectionLost(id, error)
    return false
  }

  private func failFlights(_ error: PostgresError) {
    var error = error
    if error.code == .unavailable || error.code == .statementFailed { error.code = .connectionFailed }
    error.statementIndex = nil
    while let flight = flights.popFirst() {
      if !flight.isTakenBack { flight.batch?.finish(.failure(flight.error ?? error)) }
    }
  }

  /// Somebody has prepared a statement of their own under our name; the next one is another.
  private static func isNameTaken(_ result: OpaquePointer) -> Bool {
    field("C", of: result) == "42P05"
  }

  /// `DEALLOCATE ALL` has removed a prepared statement, and all others with it.
  private static func isForgotten(_ result: OpaquePointer) -> Bool {
    field("C", of: result) == "26000"
  }

  /// DDL has changed what a prepared statement returns.
  private static func isStalePlan(_ result: OpaquePointer) -> Bool {
    // 0A000 has many causes; the place in PostgreSQL's source tells this one, in every language.
    field("C", of: result) == "0A000" && field("R", of: result) == "RevalidateCachedQuery"
  }

  private static func field(_ code: Character, of result: OpaquePointer) -> String? {
    code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
  }
}

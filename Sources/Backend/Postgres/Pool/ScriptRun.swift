internal import CPostgres

/// Runs one text of many statements on a connection of its own, by the simple protocol.
///
/// Everything happens on the loop's thread.
final class ScriptRun: LinkOwner {
  // The pool forgets a run that has ended, which ends this cycle.
  private let core: PoolCore
  private let link: Link
  private let script: Script
  private var error: PostgresError?
  private var statementCount = 0
  private var isSent = false

  init(_ script: Script, core: PoolCore, link: Link) {
    self.script = script
    self.core = core
    self.link = link
    link.owner = self
  }

  /// Begins to connect; call it once.
  func start() { link.start() }

  /// The caller has gone: asks PostgreSQL to stop, then closes the connection.
  func cancel() {
    guard isSent else { return end(.failure(CancellationError())) }
    CancelRequest.send(for: link.connection) { [weak core, script] in core?.cancelEnded(of: script) }
  }

  func end(_ result: Result<Void, any Error>) {
    link.close()
    script.completion.finish(result)
    core.scriptEnded(script)
  }

  func linkOpened() {
    guard PQsendQuery(link.connection, script.sql) == 1 else { return link.fail(.unavailable) }
    isSent = true
    link.flush()
  }

  func linkReadable() {
    let isAlive = PQconsumeInput(link.connection) == 1
    while PQisBusy(link.connection) == 0 {
      guard let result = PQgetResult(link.connection) else {
        if error == nil, PQtransactionStatus(link.connection) != PQTRANS_IDLE {
          error = PostgresError(
            .invalidStatement, "a script must end the transaction that it begins; it has been rolled back")
        }
        return end(error.map { .failure($0) } ?? .success(()))
      }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_FATAL_ERROR:
        var error = PostgresError(result: result, sql: script.sql)
        error.statementIndex = statementCount
        self.error = self.error ?? error
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        var error = PostgresError(.invalidStatement, "COPY between client and server is not supported")
        error.statementIndex = statementCount
        return end(.failure(error))
      default:
        statementCount += 1
      }
    }
    if isAlive { link.flush() } else { link.fail(.connectionFailed) }
  }

  func linkFailed(_ error: PostgresError) {
    end(.failure(self.error ?? error))
  }

  func linkTick(_ now: ContinuousClock.Instant) {
    core.tick(now)
  }
}

/// A script and the caller who waits for its end.
final class Script: Sendable {
  let sql: String
  let completion = Completion<Void>()

  init(_ sql: String) { self.sql = sql }
}

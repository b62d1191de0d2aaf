package import SwiftwaterEventLoop

/// Connections to one PostgreSQL database that many tasks share, without blocking a thread.
///
/// Work is handed over in batches. A batch is one transaction: all of its statements take effect or none does, and
/// what `set_config(…, true)` sets in one is seen by those behind it and by nobody else. Its statements travel together,
/// so it costs one round trip. Batches that find every connection busy wait in the order in which they came.
///
///     let pool = try PostgresPool("postgresql:///app?host=/run/postgresql")
///     let id = 7
///     let result = try await pool.query("select name from people where id = \(id)")
///     print(result.string(row: 0, column: 0) ?? "nobody")
///     await pool.close()
///
/// Connections are opened when work needs them and shared between callers, so a statement must not leave session state
/// behind (see `PostgresStatement`).
///
/// - Errors: `PostgresError`, or `CancellationError` once the calling task is cancelled; the methods are therefore
///   untyped in what they throw. When the server is gone, batches under way fail with `.connectionFailed` (they may
///   have been committed or not), and calls fail with `.unavailable` after at most one attempt to connect, until the
///   server is back: then the next call connects anew. A batch that was not sent yet is never lost with a connection,
///   and one that was sent is never sent again (except by a plan that PostgreSQL found stale, which it rolls back). A
///   batch whose turn does not come within `acquisitionTimeout` fails with `.exhausted`.
/// - Threading: safe from any task. One thread per pool does all the work. Host names are looked up on that thread,
///   which holds up the pool meanwhile: use a socket folder or an address, or `hostaddr` beside `host`.
public final class PostgresPool: Sendable {
  /// What a pool connects to and how far it may go.
  public struct Configuration: Sendable {
    /// A libpq connection string: `postgresql://user@host/db` or `host=… dbname=…`.
    public var connection: String
    /// How many connections may be open at a time, at least 1. A script (`executeScript`) has its own beside them.
    public var maximumConnections = 10
    /// How long an attempt to connect may take; precise to a quarter of a second.
    public var connectTimeout = Duration.seconds(5)
    /// How long a batch may wait for its turn while all connections are busy with others; then it fails with
    /// `.exhausted` and has done nothing. Precise to a quarter of a second.
    public var acquisitionTimeout = Duration.seconds(10)
    /// How many prepared statements a connection keeps; 0 prepares none.
    public var preparedStatements = 256
    /// Whom the connections of batches act as from their first statement on, so that they may do what this user may and
    /// nothing else; the connection string's user, who must be a superuser then, unless set. Scripts are not affected.
    public var sessionUser: String?
    /// How many connections work at a time as long as none takes longer than a moment for its batch, since a server with few
    /// processors does more on few connections; nil for all of them.
    package var briskConnections: Int?
    /// The loop to wait on, which must not be stopped before the pool is closed; one of the pool's own unless set.
    package var sharedLoop: EventLoop?

    /// Whether connecting means to look up a host's name, which blocks the loop.
    package var looksUpNames: Bool { Link.looksUpNames(connection) }

    /// The defaults for this connection string.
    public init(_ connection: String) { self.connection = connection }
  }

  let core: PoolCore

  /// Checks the configuration and starts the pool's thread. Nothing is connected yet.
  public init(_ configuration: Configuration) throws(PostgresError) {
    try Link.check(configuration.connection)
    core = try PoolCore(configuration)
  }

  /// A pool with the default configuration.
  public convenience init(_ connection: String) throws(PostgresError) {
    try self.init(Configuration(connection))
  }

  deinit {
    core.shutDown()
  }

  /// Runs the statements as one transaction and returns one result for each.
  ///
  /// A cancelled caller gets its `CancellationError` at once. A batch that was not sent is dropped; one that is under
  /// way is cancelled in PostgreSQL, and takes effect only if it has ended before it hears of that.
  @discardableResult
  public func execute(_ statements: [PostgresStatement]) async throws -> [PostgresResult] {
    try await execute(statements, brevity: nil)
  }

  /// Runs the statements as `execute(_:)` does and `cleanup` behind them: on the same connection, before any other batch
  /// begins there, in a transaction of its own, whatever has become of the statements. Nobody waits for it or hears of
  /// its errors, and it costs no round trip.
  ///
  /// - Parameters:
  ///   - brevity: for statements that only read, and very little; the same for each batch of them. They may be run twice,
  ///     elsewhere, too, when the one before them is slow. Ignored where there is a `cleanup`.
  ///   - cleanup: SQL without parameters; constants, since nothing is bound.
  @discardableResult
  package func execute(
    _ statements: [PostgresStatement], brevity: Brevity? = nil, cleanup: [String] = []
  ) async throws -> [PostgresResult] {
    guard !statements.isEmpty else { return [] }
    try Self.check(statements)
    let batch = Batch(statements, brevity: brevity, cleanup: cleanup)
    return try await batch.completion.value {
      core.submit(batch)
    } abandoned: { [core] in
      core.abandon(batch)
    }
  }

  /// Runs the statements as one transaction; the rows of one of them come one by one as they are taken.
  ///
  /// A reader who pauses for longer than a moment gets the rest from memory: PostgreSQL does not wait for it, since
  /// others wait for the connection.
  ///
  /// - Parameter cleanup: as for `execute(_:cleanup:)`.
  package func rows(
    of index: Int, in statements: [PostgresStatement], cleanup: [String] = []
  ) throws(PostgresError) -> PostgresRows {
    try Self.check(statements)
    return PostgresRows(of: index, in: statements, cleanup: cleanup, core: core)
  }

  /// Runs one statement as a transaction of its own.
  @discardableResult
  public func query(_ statement: PostgresStatement) async throws -> PostgresResult {
    let results = try await execute([statement])
    guard let result = results.first else { throw PostgresError(.connectionFailed, "PostgreSQL sent no result") }
    return result
  }

  /// Runs a text of any number of statements without parameters, such as a migration, on a connection of its own.
  ///
  /// The text is one transaction unless it begins and commits its own; it may change session settings, which end with
  /// it. Rows are dropped. An error carries `statementIndex`, and `position` and `line` where PostgreSQL gives a place.
  public func executeScript(_ sql: String) async throws {
    if sql.containsZeroByte { throw PostgresError(.invalidStatement, "a script must not contain a zero byte") }
    let script = Script(sql)
    try await script.completion.value {
      core.submit(script)
    } abandoned: { [core] in
      core.abandon(script)
    }
  }

  /// Refuses new work, waits for what was asked before, and closes all connections.
  ///
  /// After `grace`, or when the calling task is cancelled, what is left fails with `.closed`. Closing twice is fine.
  public func close(grace: Duration = .seconds(5)) async {
    await core.close(by: .now + grace)
  }

  private static func check(_ statements: [PostgresStatement]) throws(PostgresError) {
    for (index, statement) in statements.enumerated() {
      guard let fault = statement.fault else { continue }
      var error = PostgresError(.invalidStatement, fault)
      error.statementIndex = index
      throw error
    }
  }
}

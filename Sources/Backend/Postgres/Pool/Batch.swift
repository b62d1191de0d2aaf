/// Statements that run as one transaction, and the caller who waits for their results.
// @unchecked: the variables are touched on the loop's thread only.
final class Batch: PoolJob, @unchecked Sendable {
  let statements: [PostgresStatement]
  let completion = Completion<[PostgresResult]>()
  /// Where the rows of one statement go one by one, and its index; nil when they come with the results.
  let rows: RowChannel?
  let rowsIndex: Int
  /// Whether it only reads, and little: it may be sent behind others of its kind, and again.
  let isBrief: Bool
  /// Learns how long it takes.
  let brevity: Brevity?
  /// Statements without parameters that run behind it on the same connection, whatever becomes of it.
  let cleanup: [String]
  /// The connection that it was sent on.
  var connection: PoolScheduler<Batch>.ID?
  /// When it fails unless it has begun; nil before it waits.
  var deadline: ContinuousClock.Instant?
  /// A second failure that is not its own is the caller's to see.
  var wasRetried = false

  init(
    _ statements: [PostgresStatement], brevity: Brevity? = nil, cleanup: [String] = [], rows: RowChannel? = nil,
    of index: Int = 0
  ) {
    self.statements = statements
    // What has to be cleaned up after is followed by nothing else.
    isBrief = cleanup.isEmpty && brevity?.holds ?? false
    self.brevity = brevity
    self.cleanup = cleanup
    self.rows = rows
    rowsIndex = index
  }

  /// Ends the caller's wait; returns false if it had ended before.
  @discardableResult
  func finish(_ result: Result<[PostgresResult], any Error>) -> Bool {
    let isFirst = completion.finish(result)
    if isFirst { rows?.finish(result.map { _ in }) }
    return isFirst
  }
}

/// Statements that run as one transaction, and the caller who waits for their results.
// @unchecked: the variables are touched on the loop's thread only.
final class Batch: @unchecked Sendable {
  let statements: [PostgresStatement]
  let completion = Completion<[PostgresResult]>()
  /// The connection that it was sent on.
  var connection: PoolScheduler<Batch>.ID?
  /// When it fails unless it has begun; nil before it waits.
  var deadline: ContinuousClock.Instant?
  /// A second stale plan in a row is the caller's to see.
  var wasRetried = false

  init(_ statements: [PostgresStatement]) { self.statements = statements }
}

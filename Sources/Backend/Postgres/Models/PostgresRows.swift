/// The rows of one statement of a batch as they come, a few ahead of the one task that takes them.
///
/// The other statements' results are dropped. Releasing it before the end gives the batch up, as cancelling the task does.
package final class PostgresRows: Sendable {
  private let batch: Batch
  private let rows: RowChannel
  private let core: PoolCore

  init(of index: Int, in statements: [PostgresStatement], cleanup: [String], core: PoolCore) {
    rows = RowChannel()
    batch = Batch(statements, cleanup: cleanup, rows: rows, of: index)
    self.core = core
    core.submit(batch)
  }

  deinit {
    giveUp()
  }

  /// The next row, alone in its result; nil at the end, when the transaction has been committed.
  ///
  /// - Throws: as `PostgresPool.execute`, possibly after some rows.
  package func next() async throws -> PostgresResult? {
    try await withTaskCancellationHandler {
      try await rows.next { core.drained(batch) }
    } onCancel: {
      giveUp()
    }
  }

  private func giveUp() {
    if batch.finish(.failure(CancellationError())) { core.abandon(batch) }
  }
}

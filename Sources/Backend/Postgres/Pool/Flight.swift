/// A batch on its way through one connection: what was sent, up to its `Sync`, and what has come back.
final class Flight {
  enum Step {
    case prepare(index: Int, name: String)
    case execute(index: Int)
  }

  /// `nil` for the connection's own housekeeping.
  let batch: Batch?
  /// The statements that are prepared on the way, just before they are executed; mostly none.
  private var preparations = Queue<(index: Int, name: String)>()
  private var executed = 0
  private let count: Int
  var results: [PostgresResult] = []
  var error: PostgresError?
  /// The statement whose cached plan PostgreSQL refused.
  var staleStatement: Int?
  var hasCommitted = false
  /// The batch has been taken back to be sent again: only an answer counts here, a failure does not.
  var isTakenBack = false

  init(_ batch: Batch?, count: Int) {
    self.batch = batch
    self.count = count
  }

  /// Whether the next result's rows are handed over one by one.
  var streamsNext: Bool {
    guard let batch, batch.rows != nil else { return false }
    return executed == batch.rowsIndex && preparations.first?.index != executed
  }

  /// The statement at `index` is prepared under this name before it is executed.
  func prepares(_ index: Int, as name: String) {
    preparations.append((index, name))
  }

  /// The step that the next result belongs to; `nil` for an error of the commit.
  func takeStep() -> Step? {
    if let next = preparations.first, next.index == executed {
      _ = preparations.popFirst()
      return .prepare(index: next.index, name: next.name)
    }
    guard executed < count else { return nil }
    defer { executed += 1 }
    return .execute(index: executed)
  }
}

/// A batch on its way through one connection: what was sent, up to its `Sync`, and what has come back.
final class Flight {
  enum Step {
    case prepare(sql: String, name: String)
    case execute(index: Int, usesCache: Bool)
  }

  /// `nil` for the connection's own housekeeping.
  let batch: Batch?
  private var steps: [Step] = []
  private var next = 0
  var results: [PostgresResult] = []
  var error: PostgresError?
  /// The statement whose cached plan PostgreSQL refused.
  var staleStatement: Int?
  var hasOpenTransaction = false
  var hasCommitted = false

  init(_ batch: Batch?) { self.batch = batch }

  func expect(_ step: Step) { steps.append(step) }

  /// The step that the next result belongs to; `nil` for an error of the commit.
  func takeStep() -> Step? {
    guard next < steps.count else { return nil }
    defer { next += 1 }
    return steps[next]
  }
}

internal import SwiftwaterStreams

/// Rows on their way from a connection to the one task that takes them. Whoever finds it full stops reading from
/// PostgreSQL until it has drained.
final class RowChannel: Sendable {
  /// So many rows wait at most, unless the limit is lifted.
  static let capacity = 4

  private struct State {
    var rows = Queue<PostgresResult>()
    var end: Result<Void, any Error>?
    var reader: UnsafeContinuation<PostgresResult?, any Error>?
    var isFull = false
    var hasLimit = true

    /// The next row, or nil behind the last one; nothing yet as long as neither is known.
    mutating func take() -> Result<PostgresResult?, any Error>? {
      if let row = rows.popFirst() { return .success(row) }
      return end?.map { nil }
    }
  }

  private let state = LockIsolated(State())

  /// Adds a row without waking the reader, who would only find that the next one is not there yet.
  ///
  /// - Returns: false when no more should come.
  func push(_ row: PostgresResult) -> Bool {
    state.withLock { state in
      // Nobody wants it.
      if state.end != nil { return true }
      state.rows.append(row)
      state.isFull = state.hasLimit && state.rows.count >= Self.capacity
      return !state.isFull
    }
  }

  /// Hands the reader what there is.
  func wake() {
    let ready = state.withLock {
      state -> (UnsafeContinuation<PostgresResult?, any Error>, Result<PostgresResult?, any Error>)? in
      guard let reader = state.reader, let result = state.take() else { return nil }
      state.reader = nil
      return (reader, result)
    }
    if let (reader, result) = ready { reader.resume(with: result) }
  }

  /// No row follows. The first end counts.
  func finish(_ end: Result<Void, any Error>) {
    state.withLock { if $0.end == nil { $0.end = end } }
    wake()
  }

  /// Takes any number of rows from now on.
  func liftLimit() {
    state.withLock { $0.hasLimit = false }
  }

  /// Waits for the next row; nil at the end.
  ///
  /// - Parameter drained: called when a full channel has room again.
  func next(drained: () -> Void) async throws -> PostgresResult? {
    try await withUnsafeThrowingContinuation { reader in
      let (result, hasDrained) = state.withLock { state -> (Result<PostgresResult?, any Error>?, Bool) in
        let result = state.take()
        if result == nil { state.reader = reader }
        let hasDrained = state.isFull && state.rows.count <= Self.capacity / 2
        if hasDrained { state.isFull = false }
        return (result, hasDrained)
      }
      if let result { reader.resume(with: result) }
      if hasDrained { drained() }
    }
  }
}

internal import SwiftwaterStreams

/// One caller's wait for a value that another thread delivers. Ends once, by the value, an error or cancellation.
final class Completion<Value: Sendable>: Sendable {
  // Unsafe continuations, because this enumeration already is the proof that each is resumed once, and checked ones
  // cost as much as the rest of the wait.
  private enum State {
    case idle
    case waiting(UnsafeContinuation<Value, any Error>)
    case finished
  }

  private let state = LockIsolated(State.idle)

  /// Nobody waits any more.
  var isFinished: Bool {
    state.withLock { if case .finished = $0 { true } else { false } }
  }

  /// Suspends until `finish`.
  ///
  /// - Parameters:
  ///   - start: called once the caller can be resumed, unless its task is cancelled already.
  ///   - abandoned: called when cancellation has ended the wait.
  func value(start: () -> Void, abandoned: @escaping @Sendable () -> Void) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          guard case .idle = state else { return true }
          state = .waiting(continuation)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) } else { start() }
      }
    } onCancel: {
      if finish(.failure(CancellationError())) { abandoned() }
    }
  }

  /// Ends the wait; returns false if it had ended before.
  @discardableResult
  func finish(_ result: Result<Value, any Error>) -> Bool {
    let (isFirst, continuation) = state.withLock { state -> (Bool, UnsafeContinuation<Value, any Error>?) in
      switch state {
      case .finished:
        return (false, nil)
      case .idle:
        state = .finished
        return (true, nil)
      case .waiting(let continuation):
        state = .finished
        return (true, continuation)
      }
    }
    continuation?.resume(with: result)
    return isFirst
  }
}

internal import SwiftwaterStreams

/// One at a time, in the order of arrival, also over suspensions.
final class AsyncLock: Sendable {
  private struct Waiting: Sendable {
    let number: Int
    let resume: @Sendable (Result<Void, any Error>) -> Void
  }

  private struct State {
    var isHeld = false
    /// In the order of their arrival.
    var queue: [Waiting] = []
    var lastNumber = 0
  }

  private let state = LockIsolated(State())

  /// Runs `body` while nobody else runs one.
  ///
  /// - Throws: What `body` throws; `CancellationError` at once when the task is cancelled while it waits.
  func withLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await acquire()
    defer { release() }
    return try await body()
  }

  /// Runs `body` while nobody else runs one, even in a task that was cancelled: for what must not be left undone.
  func withUncancelledLock<Result: Sendable>(_ body: () async -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.isHeld else {
          state.isHeld = true
          return true
        }
        state.lastNumber += 1
        state.queue.append(Waiting(number: state.lastNumber, resume: { _ in continuation.resume() }))
        return false
      }
      if isFree { continuation.resume() }
    }
    defer { release() }
    return await body()
  }

  var isHeld: Bool { state.withLock { $0.isHeld } }
  /// How many wait.
  var waitingCount: Int { state.withLock { $0.queue.count } }

  private func acquire() async throws {
    let number: Int? = state.withLock { state in
      guard state.isHeld else {
        state.isHeld = true
        return nil
      }
      state.lastNumber += 1
      return state.lastNumber
    }
    guard let number else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result: Swift.Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          guard state.isHeld else {
            state.isHeld = true
            return .success(())
          }
          state.queue.append(Waiting(number: number, resume: { continuation.resume(with: $0) }))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> Waiting? in
        guard let index = state.queue.firstIndex(where: { $0.number == number }) else { return nil }
        return state.queue.remove(at: index)
      }
      waiting?.resume(.failure(CancellationError()))
    }
  }

  private func release() {
    let next = state.withLock { state -> Waiting? in
      guard !state.queue.isEmpty else {
        state.isHeld = false
        return nil
      }
      // The next one takes it over.
      return state.queue.removeFirst()
    }
    next?.resume(.success(()))
  }
}

internal import SwiftwaterStreams

/// Tasks that end with their owner at the latest.
final class OwnedTasks: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    /// Those that have ended before they were noted.
    var early: Set<Int> = []
    var lastNumber = 0
  }

  private let state = LockIsolated(State())

  /// How many are under way.
  var count: Int { state.withLock { $0.tasks.count } }

  deinit {
    for task in state.value.tasks.values { task.cancel() }
  }

  /// Starts one.
  ///
  /// - Returns: What cancels it.
  @discardableResult
  func start(_ name: String, _ body: @escaping @Sendable () async -> Void) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let task = Task(name: name) { [weak self] in
      await body()
      self?.end(number)
    }
    state.withLock { state in
      if state.early.remove(number) == nil { state.tasks[number] = task }
    }
    return { task.cancel() }
  }

  private func end(_ number: Int) {
    let task = state.withLock { state in
      let task = state.tasks.removeValue(forKey: number)
      if task == nil { state.early.insert(number) }
      return task
    }
    _ = task
  }
}

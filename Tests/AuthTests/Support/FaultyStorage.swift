import Auth
import FoundationEssentials
import SwiftwaterStreams

/// A storage of the user's own, as it was written for supabase-swift, which fails when it is told to.
final class FaultyStorage: AuthLocalStorage {
  struct Locked: Error {}

  private struct State {
    var values: [String: Data] = [:]
    var failsReading = false
    var failsWriting = false
  }

  private let state = LockIsolated(State())

  func fail(reading: Bool = false, writing: Bool = false) {
    state.withLock { ($0.failsReading, $0.failsWriting) = (reading, writing) }
  }

  func store(key: String, value: Data) throws {
    try state.withLock { state in
      if state.failsWriting { throw Locked() }
      state.values[key] = value
    }
  }

  func retrieve(key: String) throws -> Data? {
    try state.withLock { state in
      if state.failsReading { throw Locked() }
      return state.values[key]
    }
  }

  func remove(key: String) throws {
    try state.withLock { state in
      if state.failsWriting { throw Locked() }
      state.values[key] = nil
    }
  }
}

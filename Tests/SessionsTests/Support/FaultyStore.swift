import SwiftwaterSessions
import SwiftwaterStreams

/// What a user might supply: three members, and a disk that fails when it is told to.
final class FaultyStore: CredentialStore {
  struct DiskFull: Error, CustomStringConvertible {
    var description: String { #"No space left on device, {"refresh_token":"secret-1"}"# }
  }

  private struct State {
    var bytes: [UInt8]?
    var failingLoads = 0
    var failingSaves = 0
    var saves = 0
    var calls = 0
    /// Every call of a number that this divides fails; 0 for none.
    var period = 0

    mutating func count() throws {
      calls += 1
      if period > 0, calls.isMultiple(of: period) { throw DiskFull() }
    }
  }

  private let state: LockIsolated<State>

  init(_ bytes: [UInt8]? = nil) { state = LockIsolated(State(bytes: bytes)) }

  var content: [UInt8]? { state.withLock { $0.bytes } }
  /// Writes that were tried.
  var saves: Int { state.withLock { $0.saves } }

  func fail(loads: Int = 0, saves: Int = 0) {
    state.withLock { ($0.failingLoads, $0.failingSaves) = (loads, saves) }
  }

  func failNowAndThen() { state.withLock { $0.period = 3 } }

  func load() async throws -> [UInt8]? {
    try state.withLock { state in
      try state.count()
      if state.failingLoads > 0 {
        state.failingLoads -= 1
        throw DiskFull()
      }
      return state.bytes
    }
  }

  func save(_ bytes: [UInt8]) async throws { try replace(bytes) }
  func remove() async throws { try replace(nil) }

  private func replace(_ bytes: [UInt8]?) throws {
    try state.withLock { state in
      try state.count()
      state.saves += 1
      if state.failingSaves > 0 {
        state.failingSaves -= 1
        throw DiskFull()
      }
      state.bytes = bytes
    }
  }
}

/// A store whose members wait for their turn.
actor ActorStore: CredentialStore {
  private var bytes: [UInt8]?

  func load() -> [UInt8]? { bytes }
  func save(_ bytes: [UInt8]) { self.bytes = bytes }
  func remove() { bytes = nil }
}

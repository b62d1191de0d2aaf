internal import SwiftwaterStreams

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let machine = Machine(clock: clock)
/// await clock.waitForSleeps(1)   // the machine waits for its timeout
/// clock.advance(by: .seconds(5)) // which is now over
/// ```
///
/// - Threading: safe to use from any thread.
public final class ManualClock: Clock, Sendable {
  /// A moment, as the time since the clock was made.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public var offset: Duration

    /// A moment `offset` after the clock was made.
    public init(offset: Duration) { self.offset = offset }
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleep {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleeps: [Int: Sleep] = [:]
    var lastID = 0

    mutating func takeDue() -> [Sleep] {
      let due = sleeps.filter { $0.value.deadline <= now }.sorted { $0.value.deadline < $1.value.deadline }
      for (id, _) in due { sleeps[id] = nil }
      return due.map(\.value)
    }
  }

  private let state = LockIsolated(State())

  /// A clock at offset zero.
  public init() {}

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .zero }

  /// How many sleeps have not ended.
  public var pendingSleeps: Int { state.withLock { $0.sleeps.count } }

  /// The deadline of the sleep that ends first, from now.
  public var timeToNextSleepEnd: Duration? {
    state.withLock { state in state.sleeps.values.map(\.deadline).min().map { state.now.duration(to: $0) } }
  }

  /// Returns when the clock was advanced to `deadline`; throws `CancellationError` at once on cancellation.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleeps[id] = Sleep(deadline: deadline, continuation: continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleep = state.withLock { $0.sleeps.removeValue(forKey: id) }
      sleep?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the time on and ends the sleeps that are due, earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      return state.takeDue()
    }
    for sleep in due { sleep.continuation.resume() }
  }

  /// Waits until at least `count` sleeps are pending. False if that does not happen in a long while.
  @discardableResult
  public func waitForSleeps(_ count: Int) async -> Bool {
    await eventually { pendingSleeps >= count }
  }
}

public import SwiftwaterStreams

/// The credential that every request may take without asking anybody: what there is behind its own lock, so that
/// clients can inline the way to it.
@usableFromInline
final class ReadyCredential<Credential: Sendable>: Sendable {
  /// Never changes, so that it is copied by its reference.
  @usableFromInline
  final class Grant: Sendable {
    @usableFromInline let credential: Credential
    /// From here on callers wait for a refresh; nil for never.
    @usableFromInline let unfit: Duration?

    init(_ credential: Credential, unfit: Duration?) {
      self.credential = credential
      self.unfit = unfit
    }
  }

  @usableFromInline let grant = LockIsolated<Grant?>(nil)
  /// The time since the manager was made, by the clock that only goes forward.
  @usableFromInline let elapsed: @Sendable () -> Duration

  init(clock: any Clock<Duration>) {
    // The usual clock is read without a detour.
    elapsed = (clock as? ContinuousClock).map { Self.stopwatch($0) } ?? Self.stopwatch(clock)
  }

  private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  /// The credential, if it is good for a while.
  @inlinable var credential: Credential? {
    guard let grant = grant.value else { return nil }
    if let unfit = grant.unfit, elapsed() >= unfit { return nil }
    return grant.credential
  }

  /// Replaces it, and returns the one before, which may hold the last reference to a value of the caller's.
  func replace(_ new: Grant?) -> Grant? {
    grant.withLock { grant in
      let previous = grant
      grant = new
      return previous
    }
  }
}

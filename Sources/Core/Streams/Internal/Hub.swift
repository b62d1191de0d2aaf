/// A core behind a lock, and the loop that gives it its upstream listener.
@usableFromInline
final class Hub<Core: HubCore>: Sendable {
  typealias Start = @Sendable (_ hub: Hub, _ epoch: Int) -> any ListenerRegistration

  @usableFromInline let core: LockIsolated<Core>
  @usableFromInline let hasUpstream: Bool
  private let start: Start?
  private let clock: any Clock<Duration>

  init(_ core: Core, clock: any Clock<Duration> = ContinuousClock(), start: Start? = nil) {
    self.core = LockIsolated(core)
    self.clock = clock
    self.start = start
    hasUpstream = start != nil
  }

  func end(failure: Core.Failure?, epoch: Int?, owner: (any AnyObject & Sendable)?) {
    core.withLock { $0.end(failure: failure, epoch: epoch) }.perform()
    settle(owner: owner)
  }

  /// Removes the listener, because the source is being released.
  func abandon() {
    core.withLock { $0.audience.upstream.abandon() }
    settle(owner: nil)
  }

  /// Starts or stops the listener until it fits the demand.
  ///
  /// - Parameter owner: The source, which must stay findable (``SharedSources``) while the listener lingers.
  @usableFromInline
  func settle(owner: (any AnyObject & Sendable)?) {
    guard let start, core.withLock({ $0.audience.upstream.beginDriving() }) else { return }
    while let step = nextStep() {
      switch step {
      case .start(let epoch):
        let registration = start(self, epoch)
        core.withLock { $0.audience.upstream.didStart(registration) }
      case .remove(let registration):
        registration.remove()
      case .linger(let duration, let round):
        let task = linger(duration, round: round, owner: owner)
        core.withLock { $0.audience.upstream.didBeginLingering(task) }
      case .stopLingering(let task):
        task.cancel()
      }
    }
  }

  private func nextStep() -> Upstream.Step? {
    let (step, effects) = core.withLock { core -> (Upstream.Step?, HubEffects<Core.Element>) in
      let step = core.audience.upstream.nextStep(isObserved: core.audience.observing > 0)
      if case .remove = step { return (step, core.didStop()) }
      return (step, HubEffects())
    }
    effects.perform()
    return step
  }

  /// The task belongs to the upstream's state, which cancels it when a consumer arrives.
  private func linger(_ duration: Duration, round: Int, owner: (any AnyObject & Sendable)?) -> Task<Void, Never> {
    Task(name: "swiftwater.streams.linger") {
      do { try await clock.sleep(for: duration) } catch { return }
      core.withLock { $0.audience.upstream.didLinger(round: round) }
      settle(owner: owner)
    }
  }
}

/// One current value, many consumers: the source of truth for something that has a state.
///
/// Every consumer of ``values`` sees the latest value first and then newer ones. A slow consumer skips values but
/// always reaches the newest; it never holds up the sender or other consumers.
///
/// ```swift
/// let position = StateSource<Int, Never>(0)
/// position.send(1)
/// for await value in position.values { print(value) }  // 1, then whatever follows
/// ```
///
/// - End: after ``finish()`` or ``finish(throwing:)`` every consumer sees the newest value, if it had not yet, and then
///   ends or throws; so does everybody who comes later. Releasing a source that has no upstream finishes it.
/// - Threading: every member may be called from any thread, also from within a listener's start and removal. Nothing
///   blocks; a value is released outside the source's lock.
public final class StateSource<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let hub: Hub<StateCore<Value, Failure>>

  /// A source that its owner feeds.
  public init(_ initialValue: Value) {
    hub = Hub(StateCore(value: initialValue, policy: nil))
  }

  /// A source that one shared upstream listener feeds. It has no value until the listener sends one.
  ///
  /// - Parameters:
  ///   - sharing: How long the listener lives; by default while somebody consumes.
  ///   - clock: Measures the lingering time of `sharing`.
  ///   - start: Attaches the listener, which passes what it hears to the sink. Called when the first consumer arrives,
  ///     on that consumer's thread; never twice at the same time, and not again before the registration it returned
  ///     was removed. The sink may be used before `start` returns.
  public init(
    sharing: SharingPolicy = .whileObserved(),
    clock: any Clock<Duration> = ContinuousClock(),
    start: @escaping @Sendable (Sink) -> any ListenerRegistration
  ) {
    hub = Hub(StateCore(value: nil, policy: sharing), clock: clock) { hub, epoch in
      start(Sink(hub: hub, epoch: epoch))
    }
  }

  deinit {
    if hub.hasUpstream { hub.abandon() } else { hub.end(failure: nil, epoch: nil, owner: nil) }
  }

  /// The newest value; nil before the first one, and after a listener was removed whose policy forgets.
  public var latest: Value? { hub.core.withLock { $0.value } }

  /// The values as a sequence: the latest, then newer ones. Each iteration is a consumer of its own.
  public var values: StateStream<Value, Failure> {
    StateStream(hub: hub, owner: hub.hasUpstream ? self : nil)
  }

  /// Replaces the value. Ignored after the end.
  @inlinable
  public func send(_ value: Value) {
    hub.core.withLock { $0.send(value, epoch: nil) }.perform()
  }

  /// Changes the value in place, atomically: if it changed meanwhile, `body` runs again on the newer one.
  ///
  /// Does nothing while there is no value, and after the end. `body` runs outside the lock, so it may take its time and
  /// use the source, but it should have no other effects.
  public func update(_ body: (inout Value) -> Void) {
    while true {
      let (value, version) = hub.core.withLock { ($0.audience.ending == nil ? $0.value : nil, $0.version) }
      guard var value else { return }
      body(&value)
      let effects = hub.core.withLock { core in
        core.version == version && core.value != nil ? core.send(value, epoch: nil) : nil
      }
      guard let effects else { continue }
      return effects.perform()
    }
  }

  /// Ends the source for all consumers, present and future, and removes a listener. Later calls have no effect.
  public func finish() {
    hub.end(failure: nil, epoch: nil, owner: self)
  }

  /// Ends the source with an error for all consumers, present and future, and removes a listener.
  public func finish(throwing failure: Failure) {
    hub.end(failure: failure, epoch: nil, owner: self)
  }

  /// Consumers at this moment.
  package var consumerCount: Int { hub.core.withLock { $0.audience.count } }
  /// Consumers that wait for a newer value at this moment.
  package var waitingCount: Int { hub.core.withLock { $0.audience.parking.count } }
}

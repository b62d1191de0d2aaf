/// Things that happen, told to many consumers: each event goes to everybody who listens at that moment.
///
/// Events are stored once, however many consumers there are, until all of them have read them. Nobody listens, nothing
/// is stored.
///
/// - Order: all consumers see events in the order of sending, without gaps unless their own ``EventBufferingPolicy``
///   drops some.
/// - End: after ``finish()`` or ``finish(throwing:)`` every consumer reads what it has not read yet, and then ends or
///   throws; so does, without events, everybody who comes later. Releasing a source that has no upstream finishes it.
/// - Threading: every member may be called from any thread, also from within a listener's start and removal. An event
///   is released outside the source's lock.
public final class EventSource<Element: Sendable, Failure: Error>: Sendable {
  @usableFromInline let hub: Hub<EventCore<Element, Failure>>

  /// A source that its owner feeds.
  public init() {
    hub = Hub(EventCore(policy: nil))
  }

  /// A source that one shared upstream listener feeds.
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
    hub = Hub(EventCore(policy: sharing), clock: clock) { hub, epoch in
      start(Sink(hub: hub, epoch: epoch))
    }
  }

  deinit {
    if hub.hasUpstream { hub.abandon() } else { hub.end(failure: nil, epoch: nil, owner: nil) }
  }

  /// The events from the moment of iteration on. Each iteration is a consumer of its own.
  ///
  /// - Parameter bufferingPolicy: What happens to events that this consumer has not read yet.
  public func events(bufferingPolicy: EventBufferingPolicy = .unbounded) -> EventStream<Element, Failure> {
    EventStream(hub: hub, owner: hub.hasUpstream ? self : nil, bufferingPolicy: bufferingPolicy)
  }

  /// Tells everybody. Never waits; ignored after the end.
  @inlinable
  public func send(_ element: Element) {
    hub.core.withLock { $0.send(element, epoch: nil) }.perform()
  }

  /// Tells everybody once no `.suspending` consumer is full.
  ///
  /// Waits while any consumer with ``EventBufferingPolicy/suspending(_:)`` has its limit of unread events, and goes on
  /// when it reads one or leaves. Consumers with other policies hold nobody back. Concurrent callers are not ordered
  /// among each other. Ignored after the end.
  ///
  /// - Throws: `CancellationError` at once when the task is cancelled; the event was then told to nobody.
  public func send(suspendingUntilBuffered element: Element) async throws(CancellationError) {
    try await hub.send(suspendingUntilBuffered: element, epoch: nil)
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
  /// Consumers that wait for an event at this moment.
  package var waitingCount: Int { hub.core.withLock { $0.audience.parking.count } }
  /// Senders that wait for a `.suspending` consumer at this moment.
  package var waitingSenderCount: Int { hub.core.withLock { $0.senders.count } }
  /// Events stored at this moment.
  package var storedCount: Int { hub.core.withLock { $0.log.elements.count } }
}

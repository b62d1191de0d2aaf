public import Synchronization

/// One consumer of a hub, from joining to leaving.
///
/// All its state is guarded by the hub's lock, so it may be used from several tasks; each element then goes to one.
@usableFromInline
final class Subscription<Core: HubCore>: Sendable {
  @usableFromInline let hub: Hub<Core>
  @usableFromInline let slot: Int
  /// Negative until the consumer has left, which happens under the hub's lock; then how many elements were dropped.
  @usableFromInline let finalDroppedCount: Atomic<Int>
  /// Tasks that wait here: one, or more where copies of an iterator are shared out.
  @usableFromInline let waiterCount = Atomic(0)
  /// Keeps a source with an upstream alive while it is consumed.
  private let owner: (any AnyObject & Sendable)?

  init(_ hub: Hub<Core>, _ joining: Core.Joining, owner: (any AnyObject & Sendable)?) {
    self.hub = hub
    self.owner = owner
    finalDroppedCount = Atomic(-1)
    slot = hub.core.withLock { $0.join(joining) }
    hub.settle(owner: owner)
  }

  deinit { leave() }

  @inlinable var hasLeft: Bool { finalDroppedCount.load(ordering: .relaxed) >= 0 }

  var droppedCount: Int {
    hub.core.withLock { core in
      hasLeft ? finalDroppedCount.load(ordering: .relaxed) : core.droppedCount(slot)
    }
  }

  /// Deregisters, and removes the listener if nobody else wants it. Once is enough.
  @usableFromInline
  func leave() {
    let effects = hub.core.withLock { core -> HubEffects<Core.Element>? in
      guard !hasLeft else { return nil }
      finalDroppedCount.store(core.droppedCount(slot), ordering: .relaxed)
      var effects = core.leave(slot)
      // They would wait for ever. Whom this wakes besides waits again.
      if waiterCount.load(ordering: .relaxed) > 0 { effects.consumers = core.audience.parking.takeAll() }
      return effects
    }
    guard let effects else { return }
    effects.perform()
    hub.settle(owner: owner)
  }

  /// What there is right now. After an end the consumer has left.
  @inlinable
  func poll() -> HubPoll<Core.Element, Core.Failure> {
    if Task.isCancelled {
      leave()
      return .end(nil)
    }
    var senders = WokenTasks()
    let poll = hub.core.withLock { core in
      hasLeft ? HubPoll<Core.Element, Core.Failure>.end(nil) : core.poll(slot, senders: &senders)
    }
    senders.resume()
    if case .end = poll { leave() }
    return poll
  }

  /// Waits until there may be something new.
  @inlinable
  func wait(ticket: Int) async {
    waiterCount.add(1, ordering: .relaxed)
    await waitInParkingLot { continuation in
      let (isParked, garbage) = hub.core.withLock { core -> (Bool, [Core.Element]) in
        if hasLeft || core.isReady(slot) || Task.isCancelled { return (false, []) }
        core.audience.parking.park(continuation, ticket: ticket)
        return (true, core.didPark())
      }
      _ = garbage  // released outside the lock
      return isParked
    } unpark: {
      hub.core.withLock { $0.audience.parking.remove(ticket: ticket) }
    }
    waiterCount.subtract(1, ordering: .relaxed)
  }
}

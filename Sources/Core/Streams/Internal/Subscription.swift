/// One consumer of a hub, from joining to leaving.
///
/// All its state is guarded by the hub's lock, so it may be used from several tasks; each element then goes to one.
@usableFromInline
final class Subscription<Core: HubCore>: Sendable {
  @usableFromInline let hub: Hub<Core>
  /// Keeps a source with an upstream alive while it is consumed.
  private let owner: (any AnyObject & Sendable)?
  // unsafe: read and written under the hub's lock only, once `init` is done. Nil after leaving.
  @usableFromInline nonisolated(unsafe) var slot: Int?

  // unsafe: likewise.
  private nonisolated(unsafe) var finalDroppedCount = 0

  init(_ hub: Hub<Core>, _ extra: Core.Extra, owner: (any AnyObject & Sendable)?) {
    self.hub = hub
    self.owner = owner
    slot = hub.core.withLock { $0.join(extra) }
    hub.settle(owner: owner)
  }

  deinit { leave() }

  /// Deregisters, and removes the listener if nobody else wants it. Once is enough.
  @usableFromInline
  func leave() {
    let effects = hub.core.withLock { core -> HubEffects<Core.Element>? in
      guard let slot = slot.take() else { return nil }
      finalDroppedCount = core.droppedCount(slot)
      return core.leave(slot)
    }
    guard let effects else { return }
    effects.perform()
    hub.settle(owner: owner)
  }

  var droppedCount: Int {
    hub.core.withLock { core in slot.map { core.droppedCount($0) } ?? finalDroppedCount }
  }

  @inlinable
  func next(isolation: isolated (any Actor)?) async throws(Core.Failure) -> Core.Element? {
    while true {
      switch poll() {
      case .element(let element): return element
      case .end(let failure):
        leave()
        if let failure { throw failure }
        return nil
      case .wait(let ticket): await wait(ticket: ticket, isolation: isolation)
      }
    }
  }

  @inlinable
  func poll() -> HubPoll<Core.Element, Core.Failure> {
    if Task.isCancelled { return .end(nil) }
    var effects = HubEffects<Core.Element>()
    let poll = hub.core.withLock { core in
      guard let slot else { return HubPoll<Core.Element, Core.Failure>.end(nil) }
      return core.poll(slot, effects: &effects)
    }
    effects.perform()
    return poll
  }

  @inlinable
  func wait(ticket: Int, isolation: isolated (any Actor)?) async {
    await waitInParkingLot(isolation: isolation) { continuation in
      var effects = HubEffects<Core.Element>()
      let isParked = hub.core.withLock { core in
        guard let slot, !core.isReady(slot), !Task.isCancelled else { return false }
        core.audience.parking.park(continuation, ticket: ticket)
        core.willPark(effects: &effects)
        return true
      }
      effects.perform()
      return isParked
    } unpark: {
      hub.core.withLock { $0.audience.parking.remove(ticket: ticket) }
    }
  }
}

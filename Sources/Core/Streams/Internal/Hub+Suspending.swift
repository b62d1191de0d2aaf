extension Hub {
  /// Sends once no `.suspending` consumer is full.
  func send<Element, Failure>(
    suspendingUntilBuffered element: Element, epoch: Int?
  ) async throws(CancellationError) where Core == EventCore<Element, Failure> {
    while true {
      if Task.isCancelled { throw CancellationError() }
      let (effects, ticket) = core.withLock { core -> (HubEffects<Element>, Int?) in
        if core.audience.accepts(epoch: epoch), core.isFull { return (HubEffects(), core.senders.drawTicket()) }
        return (core.send(element, epoch: epoch), nil)
      }
      effects.perform()
      guard let ticket else { return }
      await waitInParkingLot { continuation in
        core.withLock { core in
          guard core.audience.accepts(epoch: epoch), core.isFull, !Task.isCancelled else { return false }
          core.senders.park(continuation, ticket: ticket)
          return true
        }
      } unpark: {
        core.withLock { $0.senders.remove(ticket: ticket) }
      }
    }
  }
}

extension EventCore {
  /// Limits below one count as one.
  @usableFromInline
  mutating func join(_ policy: EventBufferingPolicy) -> Int {
    var window = Int.max
    if case .bufferingNewest(let limit) = policy { window = max(1, limit) }
    let slot = audience.join(Cursor(position: log.end, window: window))
    if case .bufferingOldest(let limit) = policy { kept[slot] = KeptEvents(limit: max(1, limit)) }
    if case .suspending(let limit) = policy { limits[slot] = max(1, limit) }
    return slot
  }

  @usableFromInline
  mutating func leave(_ slot: Int) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    let unread = audience.cursors[slot].position
    effects.ending = audience.leave(slot)
    limits[slot] = nil
    if var kept = kept.removeValue(forKey: slot) {
      effects.garbage = kept.takeAll()
    } else if audience.count == kept.count {
      // Nobody reads the log any more.
      effects.garbage = log.trim(before: log.end)
    } else if log.wantsTrim || unread < log.start + log.elements.count / 2 {
      // This may have been the slow one.
      effects.garbage = trim()
    }
    if !senders.isEmpty, !isFull { effects.senders = senders.takeAll() }
    return effects
  }

  @usableFromInline
  mutating func end(failure: Failure?, epoch: Int?) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    guard audience.accepts(epoch: epoch) else { return effects }
    let isFinal = epoch == nil || !audience.upstream.restartsAfterEnd
    effects.consumers = audience.end(RunEnding(tail: log.end, failure: failure), isFinal: isFinal)
    effects.senders = senders.takeAll()
    return effects
  }

  /// Senders of the stopped listener find out that they are outdated.
  @usableFromInline
  mutating func didStop() -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    effects.senders = senders.takeAll()
    return effects
  }
}

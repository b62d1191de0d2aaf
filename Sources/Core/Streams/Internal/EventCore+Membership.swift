extension EventCore {
  @usableFromInline
  mutating func join(_ extra: Reading) -> Int {
    let slot = audience.join(cursor: log.end, extra: extra)
    switch extra.policy {
    case .bufferingOldest(let limit): kept[slot] = KeptEvents(limit: limit)
    case .suspending: suspending.append(slot)
    case .unbounded, .bufferingNewest: break
    }
    return slot
  }

  @usableFromInline
  mutating func leave(_ slot: Int) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    guard let member = audience.leave(slot) else { return effects }
    effects.ending = member.ending
    if var kept = kept.removeValue(forKey: slot) {
      effects.garbage = kept.takeAll()
    } else if audience.count == kept.count {
      // Nobody reads the log any more.
      effects.garbage = log.trim(before: log.end)
    } else if log.wantsTrim || member.cursor < log.start + log.elements.count / 2 {
      // This may have been the slow one.
      trim(into: &effects)
    }
    suspending.removeAll { $0 == slot }
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

extension EventCore.Reading {
  /// Limits below one count as one.
  init(policy: EventBufferingPolicy) {
    self.policy =
      switch policy {
      case .unbounded: .unbounded
      case .bufferingNewest(let limit): .bufferingNewest(max(1, limit))
      case .bufferingOldest(let limit): .bufferingOldest(max(1, limit))
      case .suspending(let limit): .suspending(max(1, limit))
      }
  }
}

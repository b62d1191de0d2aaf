/// One log of events for everybody; a consumer is a position in it. Only waiting consumers cost a send anything, and
/// those that keep the oldest events, which have a buffer of their own.
@usableFromInline
struct EventCore<Element: Sendable, Failure: Error>: HubCore {
  @usableFromInline
  struct Reading: Sendable {
    @usableFromInline let policy: EventBufferingPolicy
    @usableFromInline var droppedCount = 0
  }

  /// The position after the last event of an ended run.
  @usableFromInline typealias Tail = Int

  @usableFromInline var log = EventLog<Element>()
  @usableFromInline var audience: Audience<Int, Reading, Failure>
  /// The buffers of `.bufferingOldest` consumers, by slot.
  @usableFromInline var kept: [Int: KeptEvents<Element>] = [:]
  /// The slots of `.suspending` consumers.
  @usableFromInline var suspending: [Int] = []
  /// Senders that wait for those.
  @usableFromInline var senders = ParkingLot()

  init(policy: SharingPolicy?) {
    audience = Audience(policy: policy)
  }

  // MARK: Sending

  @inlinable
  mutating func send(_ element: Element, epoch: Int?) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    guard audience.accepts(epoch: epoch), audience.observing > 0 else { return effects }
    if kept.count < audience.count {
      log.append(element)
      if log.wantsTrim { trim(into: &effects) }
    }
    if !kept.isEmpty { keep(element) }
    effects.consumers = audience.parking.takeAll()
    return effects
  }

  /// Whether a `.suspending` consumer has as much to read as it allows.
  @usableFromInline var isFull: Bool {
    suspending.contains { slot in
      guard let member = audience.members[slot], member.ending == nil else { return false }
      guard case .suspending(let limit) = member.extra.policy else { return false }
      return log.end - member.cursor >= limit
    }
  }

  @usableFromInline
  mutating func keep(_ element: Element) {
    for slot in kept.keys where audience.members[slot]?.ending == nil {
      kept[slot]?.append(element)
    }
  }

  // MARK: Reading

  @inlinable
  mutating func poll(_ slot: Int, effects: inout HubEffects<Element>) -> HubPoll<Element, Failure> {
    if !kept.isEmpty, kept[slot] != nil { return pollKept(slot) }
    guard let member = audience.members[slot] else { return .end(nil) }
    let end = member.ending?.tail ?? log.end
    let position = firstUnread(member, end: end)
    guard position < end else {
      if let ending = member.ending { return .end(ending.failure) }
      return .wait(ticket: audience.parking.drawTicket())
    }
    audience.members[slot]?.extra.droppedCount &+= position &- member.cursor
    audience.members[slot]?.cursor = position &+ 1
    if !senders.isEmpty, !isFull { effects.senders = senders.takeAll() }
    return .element(log[position])
  }

  @inlinable
  func isReady(_ slot: Int) -> Bool {
    guard let member = audience.members[slot], member.ending == nil else { return true }
    if !kept.isEmpty, let kept = kept[slot] { return !kept.isEmpty }
    return member.cursor < log.end
  }

  /// Where a consumer goes on: behind what its policy drops.
  @inlinable
  func firstUnread(_ member: Audience<Int, Reading, Failure>.Member, end: Int) -> Int {
    guard case .bufferingNewest(let limit) = member.extra.policy else { return member.cursor }
    return Swift.max(member.cursor, end &- limit)
  }

  @usableFromInline
  mutating func pollKept(_ slot: Int) -> HubPoll<Element, Failure> {
    if let element = kept[slot]?.popFirst() { return .element(element) }
    if let ending = audience.members[slot]?.ending { return .end(ending.failure) }
    return .wait(ticket: audience.parking.drawTicket())
  }

  @usableFromInline
  func droppedCount(_ slot: Int) -> Int {
    if let kept = kept[slot] { return kept.droppedCount }
    guard let member = audience.members[slot] else { return 0 }
    let end = member.ending?.tail ?? log.end
    return member.extra.droppedCount + firstUnread(member, end: end) - member.cursor
  }

  // MARK: Releasing

  /// When the last reader is about to wait, everything may have been read: then no event is kept at all.
  @inlinable
  mutating func willPark(effects: inout HubEffects<Element>) {
    if !log.elements.isEmpty, audience.parking.count >= audience.count { trim(into: &effects) }
  }

  @usableFromInline
  mutating func trim(into effects: inout HubEffects<Element>) {
    var first = log.end
    for case let member? in audience.members {
      if case .bufferingOldest = member.extra.policy { continue }
      first = Swift.min(first, firstUnread(member, end: member.ending?.tail ?? log.end))
    }
    effects.garbage = log.trim(before: first)
  }
}

/// One log of events for everybody; a consumer is a position in it. Only waiting consumers cost a send anything, and
/// those that keep the oldest events, which have a buffer of their own.
@usableFromInline
struct EventCore<Element: Sendable, Failure: Error>: HubCore {
  @usableFromInline
  struct Cursor: BitwiseCopyable, Sendable {
    @usableFromInline var position: Int
    /// How many unread events at the end of the log this consumer wants.
    @usableFromInline let window: Int
    @usableFromInline var droppedCount: Int

    init(position: Int, window: Int) {
      self.position = position
      self.window = window
      droppedCount = 0
    }

    /// Where the consumer goes on: behind what its policy drops.
    @inlinable
    func firstUnread(end: Int) -> Int { Swift.max(position, end &- window) }
  }

  @usableFromInline var log = EventLog<Element>()
  /// An ending's tail is the position after the last event of the ended run.
  @usableFromInline var audience: Audience<Cursor, Int, Failure>
  /// The buffers of `.bufferingOldest` consumers, by slot. Their cursors are not used.
  @usableFromInline var kept: [Int: KeptEvents<Element>] = [:]
  /// The limits of `.suspending` consumers, by slot.
  @usableFromInline var limits: [Int: Int] = [:]
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
      if log.wantsTrim { effects.garbage = trim() }
    }
    if !kept.isEmpty { keep(element) }
    effects.consumers = audience.parking.takeAll()
    return effects
  }

  /// Whether a `.suspending` consumer has as much to read as it allows.
  @usableFromInline var isFull: Bool {
    limits.contains { slot, limit in
      guard case .running = audience.memberships[slot] else { return false }
      return log.end - audience.cursors[slot].position >= limit
    }
  }

  @usableFromInline
  mutating func keep(_ element: Element) {
    for slot in kept.keys {
      if case .running = audience.memberships[slot] { kept[slot]?.append(element) }
    }
  }

  // MARK: Reading

  @inlinable
  mutating func poll(_ slot: Int, senders: inout WokenTasks) -> HubPoll<Element, Failure> {
    if !kept.isEmpty, kept[slot] != nil { return pollKept(slot) }
    var cursor = audience.cursors[slot]
    let end = end(of: slot)
    let position = cursor.firstUnread(end: end)
    guard position < end else { return pollEnd(slot) }
    let element = log[position]
    cursor.droppedCount &+= position &- cursor.position
    cursor.position = position &+ 1
    audience.cursors[slot] = cursor
    if !self.senders.isEmpty, !isFull { senders = self.senders.takeAll() }
    return .element(element)
  }

  @inlinable
  func isReady(_ slot: Int) -> Bool {
    if case .ended = audience.memberships[slot] { return true }
    if !kept.isEmpty, let kept = kept[slot] { return !kept.isEmpty }
    return audience.cursors[slot].position < log.end
  }

  /// The position after the last event that this consumer will see.
  @inlinable
  func end(of slot: Int) -> Int {
    if case .ended(let ending) = audience.memberships[slot] { ending.tail } else { log.end }
  }

  @inlinable
  mutating func pollEnd(_ slot: Int) -> HubPoll<Element, Failure> {
    if let ending = audience.ending(of: slot) { return .end(ending.failure) }
    return .wait(ticket: audience.parking.drawTicket())
  }

  @usableFromInline
  mutating func pollKept(_ slot: Int) -> HubPoll<Element, Failure> {
    if let element = kept[slot]?.popFirst() { return .element(element) }
    return pollEnd(slot)
  }

  @usableFromInline
  func droppedCount(_ slot: Int) -> Int {
    if let kept = kept[slot] { return kept.droppedCount }
    let cursor = audience.cursors[slot]
    return cursor.droppedCount + cursor.firstUnread(end: end(of: slot)) - cursor.position
  }

  // MARK: Releasing

  /// When the last reader waits, everything may have been read: then no event is kept at all.
  @inlinable
  mutating func didPark() -> [Element] {
    log.elements.isEmpty || audience.parking.count < audience.count ? [] : trim()
  }

  @usableFromInline
  mutating func trim() -> [Element] {
    var first = log.end
    for slot in audience.cursors.indices {
      if case .vacant = audience.memberships[slot] { continue }
      if !kept.isEmpty, kept[slot] != nil { continue }
      first = Swift.min(first, audience.cursors[slot].firstUnread(end: end(of: slot)))
    }
    return log.trim(before: first)
  }
}

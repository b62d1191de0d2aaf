/// The consumers of a hub: who reads, how far each has come, who waits, and how their run ended.
///
/// Consumers that share one upstream listener belong to one run. When the run ends, each of them gets the ending, with
/// what it may still read; so a new run can begin while slow consumers of the old one are still reading.
@usableFromInline
struct Audience<Tail: Sendable, Extra: Sendable, Failure: Error>: Sendable {
  @usableFromInline
  struct Member: Sendable {
    /// The version (state) or position (events) up to which this consumer has read.
    @usableFromInline var cursor: Int
    @usableFromInline var extra: Extra
    @usableFromInline var ending: RunEnding<Tail, Failure>?
  }

  /// Slots, reused after a consumer has left.
  @usableFromInline var members: [Member?] = []
  @usableFromInline var vacant: [Int] = []
  @usableFromInline var count = 0
  /// Consumers whose run has not ended: these want the upstream.
  @usableFromInline var observing = 0
  @usableFromInline var parking = ParkingLot()
  /// Set when the source itself has ended: later consumers get this at once.
  @usableFromInline var ending: RunEnding<Tail, Failure>?
  @usableFromInline var upstream: Upstream

  init(policy: SharingPolicy?) {
    upstream = Upstream(policy: policy)
  }

  /// Whether a send counts: `epoch` is the listener's, or nil for the source's owner.
  @inlinable
  func accepts(epoch: Int?) -> Bool {
    ending == nil && (epoch == nil || epoch == upstream.epoch)
  }

  mutating func join(cursor: Int, extra: Extra) -> Int {
    let member = Member(cursor: cursor, extra: extra, ending: ending)
    count += 1
    if ending == nil { observing += 1 }
    guard let slot = vacant.popLast() else {
      members.append(member)
      return members.count - 1
    }
    members[slot] = member
    return slot
  }

  /// The member that left, to be released outside the lock.
  mutating func leave(_ slot: Int) -> Member? {
    guard let member = members[slot].take() else { return nil }
    count -= 1
    if member.ending == nil { observing -= 1 }
    if count == 0, members.count > 64 {
      members = []
      vacant = []
    } else {
      vacant.append(slot)
    }
    return member
  }

  /// Ends the current run for everybody in it; `isFinal` ends the source for later consumers too.
  mutating func end(_ ending: RunEnding<Tail, Failure>, isFinal: Bool) -> WokenTasks {
    for slot in members.indices where members[slot] != nil && members[slot]?.ending == nil {
      members[slot]?.ending = ending
    }
    observing = 0
    if isFinal { self.ending = ending }
    upstream.end()
    return parking.takeAll()
  }
}

/// How a run ended, and what its consumers may still read before they hear of it.
@usableFromInline
final class RunEnding<Tail: Sendable, Failure: Error>: Sendable {
  @usableFromInline let tail: Tail
  @usableFromInline let failure: Failure?

  init(tail: Tail, failure: Failure?) {
    self.tail = tail
    self.failure = failure
  }
}

/// The consumers of a hub: how far each has come, who waits, and how their run ended.
///
/// Consumers that share one upstream listener belong to one run. When the run ends, each of them gets the ending, with
/// what it may still read; so a new run can begin while slow consumers of the old one are still reading.
@usableFromInline
struct Audience<Cursor: BitwiseCopyable & Sendable, Tail: Sendable, Failure: Error>: Sendable {
  @usableFromInline
  enum Membership: Sendable {
    case vacant
    case running
    case ended(RunEnding<Tail, Failure>)
  }

  /// By slot. Apart from the memberships, because they change with every element.
  @usableFromInline var cursors: [Cursor] = []
  @usableFromInline var memberships: [Membership] = []
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

  /// How this consumer's run ended, if it has.
  @inlinable
  func ending(of slot: Int) -> RunEnding<Tail, Failure>? {
    if case .ended(let ending) = memberships[slot] { ending } else { nil }
  }

  mutating func join(_ cursor: Cursor) -> Int {
    let membership = ending.map(Membership.ended) ?? .running
    count += 1
    if ending == nil { observing += 1 }
    guard let slot = vacant.popLast() else {
      cursors.append(cursor)
      memberships.append(membership)
      return cursors.count - 1
    }
    cursors[slot] = cursor
    memberships[slot] = membership
    return slot
  }

  /// The ending that the consumer held, to be released outside the lock.
  mutating func leave(_ slot: Int) -> RunEnding<Tail, Failure>? {
    let ending = ending(of: slot)
    if ending == nil { observing -= 1 }
    memberships[slot] = .vacant
    count -= 1
    if count == 0, cursors.count > 64 {
      (cursors, memberships, vacant) = ([], [], [])
    } else {
      vacant.append(slot)
    }
    return ending
  }

  /// Ends the current run for everybody in it; `isFinal` ends the source for later consumers too.
  mutating func end(_ ending: RunEnding<Tail, Failure>, isFinal: Bool) -> WokenTasks {
    for slot in memberships.indices {
      if case .running = memberships[slot] { memberships[slot] = .ended(ending) }
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

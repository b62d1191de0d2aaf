/// Decides which connection takes which job and when another connection is opened. No I/O: the pool performs the steps
/// that `next` returns and reports what became of them.
///
/// A connection has one job at a time: what is sent behind a job cannot be taken back when that one turns out to be slow.
/// An idle connection is best, then a new one; at last jobs wait for whichever connection is free first. They leave in
/// the order in which they came.
///
/// A server does more with a few connections, whose memory stays in the processors' caches, than with many: so as long
/// as jobs are brief, no more than `briskConnections` work at a time. A job that takes longer than a moment does not
/// count, so slow ones hold nobody up.
struct PoolScheduler<Job> {
  typealias ID = Int

  enum Step {
    case connect(ID)
    case send(Job, ID)
  }

  private struct Slot {
    let id: ID
    var isOpen = false
    var isBlocked = false
    /// Since when it has its job.
    var busySince: ContinuousClock.Instant?
    var isBusy: Bool { busySince != nil }
  }

  /// After a refused extra connection (`too many clients`) the others have to do for a while.
  static var growthPause: Duration { .seconds(1) }

  /// What is longer than brief.
  static var moment: Duration { .milliseconds(5) }

  let maximumConnections: Int
  let briskConnections: Int
  private var slots: [Slot] = []
  private var waiting = Queue<Job>()
  private var lastID = 0
  private var growsAgain: ContinuousClock.Instant?

  init(maximumConnections: Int, briskConnections: Int? = nil) {
    self.maximumConnections = maximumConnections
    self.briskConnections = briskConnections ?? maximumConnections
  }

  /// Nothing waits and nothing is under way.
  var isIdle: Bool { waiting.isEmpty && slots.allSatisfy { !$0.isBusy } }
  var waitingCount: Int { waiting.count }

  mutating func enqueue(_ job: Job) { waiting.append(job) }

  /// Puts back a job that was sent and is to be sent again, before all others.
  mutating func requeue(_ job: Job) { waiting.prepend(job) }

  mutating func discard(where isUnwanted: (Job) -> Bool) { waiting.removeAll(where: isUnwanted) }

  /// The next thing to do; ask until it is `nil`.
  mutating func next(at now: ContinuousClock.Instant) -> Step? {
    guard !waiting.isEmpty, brisk(at: now) < briskConnections else { return nil }
    if let free = slots.firstIndex(where: { $0.isOpen && !$0.isBusy && !$0.isBlocked }) {
      guard let job = waiting.popFirst() else { return nil }
      slots[free].busySince = now
      return .send(job, slots[free].id)
    }
    let connecting = slots.count { !$0.isOpen }
    guard connecting < waiting.count, connecting < briskConnections, slots.count < maximumConnections, mayGrow(at: now)
    else { return nil }
    lastID += 1
    slots.append(Slot(id: lastID))
    return .connect(lastID)
  }

  /// When what waits may get another connection because a job has turned out not to be brief; nil if that changes nothing.
  func nextChance(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard !waiting.isEmpty, brisk(at: now) >= briskConnections else { return nil }
    return slots.compactMap(\.busySince).filter { now - $0 < Self.moment }.min().map { $0 + Self.moment }
  }

  /// How many jobs are under way that may still be brief.
  private func brisk(at now: ContinuousClock.Instant) -> Int {
    slots.count { slot in slot.busySince.map { now - $0 < Self.moment } ?? false }
  }

  mutating func opened(_ id: ID) {
    update(id) { $0.isOpen = true }
    growsAgain = nil
  }

  /// The connection's job has ended.
  mutating func finished(_ id: ID) {
    update(id) { $0.busySince = nil }
  }

  /// While blocked, a connection takes no new job.
  mutating func setBlocked(_ id: ID, _ isBlocked: Bool) {
    update(id) { $0.isBlocked = isBlocked }
  }

  /// An open connection is gone, with its job.
  mutating func lost(_ id: ID) {
    slots.removeAll { $0.id == id }
  }

  /// A connection could not be opened. Returns the jobs that have nothing left to wait for.
  mutating func connectFailed(_ id: ID, at now: ContinuousClock.Instant) -> [Job] {
    slots.removeAll { $0.id == id }
    guard slots.isEmpty else {
      growsAgain = now + Self.growthPause
      return []
    }
    return takeWaiting()
  }

  mutating func takeWaiting() -> [Job] {
    defer { waiting = Queue() }
    return waiting.all
  }

  /// Takes the jobs at the head of the queue for which that holds.
  mutating func takeWaiting(while isWanted: (Job) -> Bool) -> [Job] {
    var taken: [Job] = []
    while let job = waiting.first, isWanted(job) {
      taken.append(job)
      _ = waiting.popFirst()
    }
    return taken
  }

  private func mayGrow(at now: ContinuousClock.Instant) -> Bool {
    guard let growsAgain, !slots.isEmpty else { return true }
    return now >= growsAgain
  }

  private mutating func update(_ id: ID, _ change: (inout Slot) -> Void) {
    guard let index = slots.firstIndex(where: { $0.id == id }) else { return }
    change(&slots[index])
  }
}

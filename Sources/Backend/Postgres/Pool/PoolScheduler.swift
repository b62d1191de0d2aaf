/// What a scheduler has to know of a job.
protocol PoolJob {
  /// Whether it is over at once, so that another may as well wait behind it.
  var isBrief: Bool { get }
}

/// Decides which connection takes which job and when another connection is opened. No I/O: the pool performs the steps
/// that `next` returns and reports what became of them.
///
/// An idle connection is best, then a new one; at last jobs wait for whichever connection is free first. They leave in
/// the order in which they came.
///
/// A server does more with a few connections, whose memory stays in the processors' caches, than with many: so as long
/// as jobs take no longer than a moment, no more than `briskConnections` work at a time. What takes longer does not
/// count, so slow jobs hold nobody up.
///
/// What is sent behind a job cannot be taken back when that one turns out to be slow, so a connection has one job at a
/// time. Brief ones are the exception: when no connection is left, some of them follow each other on one. Since they may
/// run twice, those behind one that is slow after all (because somebody else has locked its table, say) are sent again
/// elsewhere.
struct PoolScheduler<Job: PoolJob> {
  typealias ID = Int

  enum Step {
    case connect(ID)
    case send(Job, ID)
  }

  private struct Slot {
    let id: ID
    var isOpen = false
    var isBlocked = false
    /// Its jobs, and since when it has the first of them.
    var jobs = 0
    var busySince: ContinuousClock.Instant?
    /// Whether they are all brief.
    var isBrief = false
    /// Whether those behind the first have been asked back.
    var isOverdue = false

    var isBusy: Bool { jobs > 0 }

    /// Whether its first job may still turn out not to be slow.
    func isBrisk(at now: ContinuousClock.Instant) -> Bool { busySince.map { now - $0 < moment } ?? false }

    /// When those behind the first have waited for long enough; nil when there are none.
    var patienceEnds: ContinuousClock.Instant? {
      jobs > 1 && !isOverdue ? busySince.map { $0 + patience } : nil
    }

    mutating func take(_ job: Job, at now: ContinuousClock.Instant) {
      isBrief = job.isBrief && (jobs == 0 || isBrief)
      if jobs == 0 { busySince = now }
      jobs += 1
    }
  }

  /// How many brief jobs a connection has at most.
  static var maximumBriefJobs: Int { 4 }

  /// After a refused extra connection (`too many clients`) the others have to do for a while.
  static var growthPause: Duration { .seconds(1) }

  /// What is longer than brief.
  static var moment: Duration { .milliseconds(5) }

  /// How long brief jobs wait behind one that is not brief after all. Not so short that a busy server is asked everything
  /// twice.
  static var patience: Duration { .milliseconds(50) }

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
    guard let job = waiting.first else { return nil }
    if brisk(at: now) < briskConnections {
      if let idle = slots.firstIndex(where: { $0.isOpen && !$0.isBusy && !$0.isBlocked }) {
        return send(to: idle, at: now)
      }
      let connecting = slots.count { !$0.isOpen }
      if connecting < waiting.count, connecting < briskConnections, slots.count < maximumConnections, mayGrow(at: now) {
        lastID += 1
        slots.append(Slot(id: lastID))
        return .connect(lastID)
      }
    }
    guard job.isBrief else { return nil }
    let shared = slots.indices
      .filter { slots[$0].isBrief && slots[$0].jobs < Self.maximumBriefJobs && !slots[$0].isBlocked }
      .filter { slots[$0].isBrisk(at: now) }.min { slots[$0].jobs < slots[$1].jobs }
    return shared.flatMap { send(to: $0, at: now) }
  }

  private mutating func send(to index: Int, at now: ContinuousClock.Instant) -> Step? {
    guard let job = waiting.popFirst() else { return nil }
    slots[index].take(job, at: now)
    return .send(job, slots[index].id)
  }

  /// When what waits may get another connection because a job has turned out not to be brief; nil if that changes nothing.
  func nextChance(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    let end = slots.compactMap(\.patienceEnds).min()
    guard !waiting.isEmpty, brisk(at: now) >= briskConnections,
      let chance = slots.filter({ $0.isBrisk(at: now) }).compactMap(\.busySince).min().map({ $0 + Self.moment })
    else { return end }
    return min(chance, end ?? chance)
  }

  /// The connections whose first job has been slow for so long that those behind it are to be sent again elsewhere; each
  /// once.
  mutating func takeOverdue(at now: ContinuousClock.Instant) -> [ID] {
    slots.indices.compactMap { index in
      guard let end = slots[index].patienceEnds, end <= now else { return nil }
      slots[index].isOverdue = true
      return slots[index].id
    }
  }

  /// How many jobs are under way that may still be brief.
  private func brisk(at now: ContinuousClock.Instant) -> Int {
    slots.count { $0.isBrisk(at: now) }
  }

  mutating func opened(_ id: ID) {
    update(id) { $0.isOpen = true }
    growsAgain = nil
  }

  /// The connection's first job has ended. Returns whether it was brief.
  @discardableResult
  mutating func finished(_ id: ID, at now: ContinuousClock.Instant) -> Bool {
    var wasBrief = true
    update(id) { slot in
      wasBrief = slot.isBrisk(at: now)
      slot.jobs -= 1
      slot.busySince = slot.jobs > 0 ? now : nil
      slot.isOverdue = false
    }
    return wasBrief
  }

  /// While blocked, a connection takes no new job.
  mutating func setBlocked(_ id: ID, _ isBlocked: Bool) {
    update(id) { $0.isBlocked = isBlocked }
  }

  /// An open connection is gone, with its jobs.
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

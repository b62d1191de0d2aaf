/// Decides which connection takes which job and when another connection is opened. No I/O: the pool performs the steps
/// that `next` returns and reports what became of them.
///
/// An idle connection is best; then a new one, so that no job waits behind a slow one while the pool may still grow;
/// then the connection with the shortest pipeline, unless what it works on turns out to be slow: then jobs wait for
/// whichever connection is free first. Jobs leave in the order in which they came.
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
    var load = 0
    /// When the job that the connection works on had its turn.
    var busySince: ContinuousClock.Instant?
  }

  /// After a refused extra connection (`too many clients`) the others have to do for a while.
  static var growthPause: Duration { .seconds(1) }

  /// A job that takes longer is slow: nothing more is put behind it.
  static var slowness: Duration { .milliseconds(20) }

  let maximumConnections: Int
  let pipelineDepth: Int
  private var slots: [Slot] = []
  private var waiting = Queue<Job>()
  private var lastID = 0
  private var growsAgain: ContinuousClock.Instant?

  init(maximumConnections: Int, pipelineDepth: Int) {
    self.maximumConnections = maximumConnections
    self.pipelineDepth = pipelineDepth
  }

  /// Nothing waits and nothing is under way.
  var isIdle: Bool { waiting.isEmpty && slots.allSatisfy { $0.load == 0 } }
  var waitingCount: Int { waiting.count }

  mutating func enqueue(_ job: Job) { waiting.append(job) }

  /// Puts back a job that was sent and is to be sent again, before all others.
  mutating func requeue(_ job: Job) { waiting.prepend(job) }

  mutating func discard(where isUnwanted: (Job) -> Bool) { waiting.removeAll(where: isUnwanted) }

  /// The next thing to do; ask until it is `nil`.
  mutating func next(at now: ContinuousClock.Instant) -> Step? {
    guard !waiting.isEmpty else { return nil }
    let best = leastLoaded(at: now)
    if let best, slots[best].load == 0 { return send(to: best, at: now) }

    let connecting = slots.count { !$0.isOpen }
    if connecting < waiting.count, slots.count < maximumConnections, mayGrow(at: now) {
      lastID += 1
      slots.append(Slot(id: lastID))
      return .connect(lastID)
    }
    if let best, connecting == 0 { return send(to: best, at: now) }
    return nil
  }

  mutating func opened(_ id: ID) {
    update(id) { $0.isOpen = true }
    growsAgain = nil
  }

  /// A job on the connection has ended; the next has its turn.
  mutating func finished(_ id: ID, at now: ContinuousClock.Instant = .now) {
    update(id) {
      $0.load -= 1
      $0.busySince = now
    }
  }

  /// While blocked, a connection takes no new jobs.
  mutating func setBlocked(_ id: ID, _ isBlocked: Bool) {
    update(id) { $0.isBlocked = isBlocked }
  }

  /// An open connection is gone, with the jobs on it.
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

  /// Where the next job would go; by hand, since this is asked for every job.
  private func leastLoaded(at now: ContinuousClock.Instant) -> Int? {
    var best: Int?
    for index in slots.indices {
      let slot = slots[index]
      guard slot.isOpen, !slot.isBlocked, slot.load < pipelineDepth else { continue }
      if slot.load > 0, let since = slot.busySince, now - since > Self.slowness { continue }
      if let found = best, slots[found].load <= slot.load { continue }
      best = index
    }
    return best
  }

  private mutating func send(to index: Int, at now: ContinuousClock.Instant) -> Step? {
    guard let job = waiting.popFirst() else { return nil }
    if slots[index].load == 0 { slots[index].busySince = now }
    slots[index].load += 1
    return .send(job, slots[index].id)
  }

  private func mayGrow(at now: ContinuousClock.Instant) -> Bool {
    guard let growsAgain, slots.contains(where: \.isOpen) else { return true }
    return now >= growsAgain
  }

  private mutating func update(_ id: ID, _ change: (inout Slot) -> Void) {
    guard let index = slots.firstIndex(where: { $0.id == id }) else { return }
    change(&slots[index])
  }
}

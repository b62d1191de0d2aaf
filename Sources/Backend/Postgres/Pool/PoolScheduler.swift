/// Decides which connection takes which job and when another connection is opened. No I/O: the pool performs the steps
/// that `next` returns and reports what became of them.
///
/// An idle connection is best; then a new one, so that no job waits behind a slow one while the pool may still grow;
/// then the connection with the shortest pipeline. Jobs leave in the order in which they came.
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
  }

  /// After a refused extra connection (`too many clients`) the others have to do for a while.
  static var growthPause: Duration { .seconds(1) }

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
    let best = leastLoaded()
    if let best, slots[best].load == 0 { return send(to: best) }

    let connecting = slots.count { !$0.isOpen }
    if connecting < waiting.count, slots.count < maximumConnections, mayGrow(at: now) {
      lastID += 1
      slots.append(Slot(id: lastID))
      return .connect(lastID)
    }
    if let best, connecting == 0 { return send(to: best) }
    return nil
  }

  mutating func opened(_ id: ID) {
    update(id) { $0.isOpen = true }
    growsAgain = nil
  }

  /// A job on the connection has ended.
  mutating func finished(_ id: ID) {
    update(id) { $0.load -= 1 }
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

  /// Where the next job would go; by hand, since this is asked for every job.
  private func leastLoaded() -> Int? {
    var best: Int?
    for index in slots.indices {
      let slot = slots[index]
      guard slot.isOpen, !slot.isBlocked, slot.load < pipelineDepth else { continue }
      if let found = best, slots[found].load <= slot.load { continue }
      best = index
    }
    return best
  }

  private mutating func send(to index: Int) -> Step? {
    guard let job = waiting.popFirst() else { return nil }
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

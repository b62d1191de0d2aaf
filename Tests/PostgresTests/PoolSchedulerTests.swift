import Testing

@testable import SwiftwaterPostgres

@Suite("Which connection takes which job")
struct PoolSchedulerTests {
  private let now = ContinuousClock.now

  /// Performs every step there is and writes it down: "c1" connect 1, "a>1" send a to 1.
  private func steps(_ scheduler: inout PoolScheduler<String>, after delay: Duration = .zero) -> [String] {
    var steps: [String] = []
    while let step = scheduler.next(at: now + delay) {
      switch step {
      case .connect(let id): steps.append("c\(id)")
      case .send(let job, let id): steps.append("\(job)>\(id)")
      }
    }
    return steps
  }

  @Test("One connection per waiting job up to the maximum, one job for each, in order")
  func growsThenWaits() {
    var scheduler = PoolScheduler<String>(maximumConnections: 2)
    #expect(scheduler.isIdle && steps(&scheduler).isEmpty)
    for job in ["a", "b", "c", "d"] { scheduler.enqueue(job) }
    #expect(steps(&scheduler) == ["c1", "c2"])
    scheduler.opened(2)
    #expect(steps(&scheduler) == ["a>2"])
    scheduler.opened(1)
    #expect(steps(&scheduler) == ["b>1"])
    scheduler.finished(2, at: now)
    #expect(steps(&scheduler) == ["c>2"])
    scheduler.finished(2, at: now)
    #expect(steps(&scheduler) == ["d>2"], "the slow job holds up nobody")
    #expect(!scheduler.isIdle)
    scheduler.finished(1, at: now)
    scheduler.finished(2, at: now)
    #expect(scheduler.isIdle)
  }

  @Test("An idle connection is used before a new one is opened")
  func reuse() {
    var scheduler = PoolScheduler<String>(maximumConnections: 5)
    scheduler.enqueue("a")
    #expect(steps(&scheduler) == ["c1"])
    scheduler.opened(1)
    #expect(steps(&scheduler) == ["a>1"])
    scheduler.finished(1, at: now)
    scheduler.enqueue("b")
    #expect(steps(&scheduler) == ["b>1"])
  }

  @Test("A blocked connection takes nothing until it is free again")
  func blocked() {
    var scheduler = PoolScheduler<String>(maximumConnections: 1)
    scheduler.enqueue("a")
    _ = steps(&scheduler)
    scheduler.opened(1)
    #expect(steps(&scheduler) == ["a>1"])
    scheduler.setBlocked(1, true)
    scheduler.enqueue("b")
    #expect(steps(&scheduler).isEmpty)
    scheduler.finished(1, at: now)
    #expect(steps(&scheduler).isEmpty)
    scheduler.setBlocked(1, false)
    #expect(steps(&scheduler) == ["b>1"])
  }

  @Test("When nothing is left to connect, all who wait fail; the next tries again at once")
  func deadServer() {
    var scheduler = PoolScheduler<String>(maximumConnections: 2)
    for job in ["a", "b", "c"] { scheduler.enqueue(job) }
    #expect(steps(&scheduler) == ["c1", "c2"])
    #expect(scheduler.connectFailed(1, at: now).isEmpty)
    #expect(steps(&scheduler, after: .milliseconds(1)).isEmpty, "the other attempt tells")
    #expect(scheduler.connectFailed(2, at: now) == ["a", "b", "c"])
    scheduler.enqueue("d")
    #expect(steps(&scheduler) == ["c3"])
  }

  @Test("When only growth is refused, the open connections do, and growth is tried again later")
  func refusedGrowth() {
    var scheduler = PoolScheduler<String>(maximumConnections: 2)
    scheduler.enqueue("a")
    _ = steps(&scheduler)
    scheduler.opened(1)
    #expect(steps(&scheduler) == ["a>1"])
    scheduler.enqueue("b")
    scheduler.enqueue("c")
    #expect(steps(&scheduler) == ["c2"])
    #expect(scheduler.connectFailed(2, at: now).isEmpty)
    #expect(steps(&scheduler).isEmpty)
    scheduler.finished(1, at: now)
    #expect(steps(&scheduler) == ["b>1"])
    #expect(steps(&scheduler, after: .seconds(2)) == ["c3"])
  }

  @Test("A lost connection loses no waiting job; one sent again goes first")
  func lost() {
    var scheduler = PoolScheduler<String>(maximumConnections: 1)
    scheduler.enqueue("a")
    _ = steps(&scheduler)
    scheduler.opened(1)
    _ = steps(&scheduler)
    scheduler.enqueue("b")
    scheduler.requeue("a")
    scheduler.lost(1)
    #expect(steps(&scheduler) == ["c2"])
    scheduler.opened(2)
    #expect(steps(&scheduler) == ["a>2"])
    scheduler.discard { $0 == "b" }
    scheduler.finished(2, at: now)
    #expect(scheduler.isIdle)
  }

  @Test("The queue keeps its order however it grows and shrinks")
  func queue() {
    var queue = Queue<Int>()
    var expected: [Int] = []
    for round in 0..<50 {
      for number in 0..<(round % 7 * 40) {
        queue.append(number)
        expected.append(number)
      }
      for _ in 0..<(round % 5 * 50) where !expected.isEmpty { #expect(queue.popFirst() == expected.removeFirst()) }
      queue.prepend(-round)
      expected.insert(-round, at: 0)
    }
    queue.removeAll { $0 % 2 == 0 }
    #expect(queue.all == expected.filter { $0 % 2 != 0 } && queue.first == queue.all.first)
    #expect(queue.count == queue.all.count)
  }

  @Test("Of brief jobs only some are under way at a time; what takes longer than a moment holds nobody up")
  func brisk() {
    var scheduler = PoolScheduler<String>(maximumConnections: 3, briskConnections: 1)
    let moment = PoolScheduler<String>.moment
    for job in ["a", "b", "c", "d"] { scheduler.enqueue(job) }
    #expect(steps(&scheduler) == ["c1"])
    scheduler.opened(1)
    #expect(scheduler.nextChance(at: now) == nil)
    #expect(steps(&scheduler) == ["a>1"])
    #expect(steps(&scheduler, after: moment / 2).isEmpty)
    #expect(scheduler.nextChance(at: now + moment / 2) == now + moment)
    #expect(steps(&scheduler, after: moment) == ["c2"], "a is slow")
    scheduler.opened(2)
    #expect(steps(&scheduler, after: moment) == ["b>2"])
    scheduler.finished(2, at: now)
    #expect(steps(&scheduler, after: moment) == ["c>2"])
    #expect(scheduler.nextChance(at: now + moment) == now + moment * 2)
    #expect(steps(&scheduler, after: moment * 2) == ["c3"], "c is slow, too")
    scheduler.opened(3)
    #expect(steps(&scheduler, after: moment * 2) == ["d>3"])
    #expect(scheduler.nextChance(at: now + moment * 2) == nil, "nothing waits")
    scheduler.enqueue("e")
    #expect(steps(&scheduler, after: moment * 4).isEmpty, "all connections are busy")
    #expect(scheduler.nextChance(at: now + moment * 4) == nil)
    scheduler.finished(1, at: now)
    #expect(steps(&scheduler, after: moment * 4) == ["e>1"])
  }

  @Test("When no connection is left, brief jobs follow each other on the least busy one, and behind nothing else")
  func brief() {
    var scheduler = PoolScheduler<String>(maximumConnections: 2)
    let moment = PoolScheduler<String>.moment
    for job in ["brief 1", "brief 2"] { scheduler.enqueue(job) }
    _ = steps(&scheduler)
    scheduler.opened(1)
    scheduler.opened(2)
    #expect(steps(&scheduler) == ["brief 1>1", "brief 2>2"])
    for job in ["brief 3", "brief 4", "brief 5", "long", "brief 6"] { scheduler.enqueue(job) }
    #expect(steps(&scheduler) == ["brief 3>1", "brief 4>2", "brief 5>1"], "nothing passes the long one")
    for _ in 0..<3 {
      #expect(steps(&scheduler).isEmpty)
      scheduler.finished(1, at: now)
    }
    #expect(steps(&scheduler) == ["long>1", "brief 6>2"], "not behind the long one")
    for number in 7...9 { scheduler.enqueue("brief \(number)") }
    #expect(steps(&scheduler) == ["brief 7>2"], "four are enough")
    scheduler.finished(2, at: now)
    #expect(steps(&scheduler, after: moment).isEmpty, "not behind one that has turned out to be slow")
    #expect(!scheduler.isIdle)
  }

  @Test("Brief jobs behind one that is slow after all are asked back once")
  func overdue() {
    var scheduler = PoolScheduler<String>(maximumConnections: 2, briskConnections: 1)
    let patience = PoolScheduler<String>.patience
    scheduler.enqueue("brief 1")
    _ = steps(&scheduler)
    scheduler.opened(1)
    #expect(steps(&scheduler) == ["brief 1>1"])
    #expect(scheduler.nextChance(at: now) == nil, "nobody waits behind it")
    scheduler.enqueue("brief 2")
    #expect(steps(&scheduler) == ["brief 2>1"])
    #expect(scheduler.nextChance(at: now) == now + patience)
    #expect(scheduler.takeOverdue(at: now + patience / 2).isEmpty)
    #expect(scheduler.takeOverdue(at: now + patience) == [1])
    #expect(scheduler.takeOverdue(at: now + patience).isEmpty && scheduler.nextChance(at: now + patience) == nil)
    scheduler.requeue("brief 2")
    #expect(steps(&scheduler, after: patience) == ["c2"])
    scheduler.opened(2)
    #expect(steps(&scheduler, after: patience) == ["brief 2>2"])
    for id in [1, 1, 2] { scheduler.finished(id, at: now + patience) }
    #expect(scheduler.isIdle)
  }
}

extension String: PoolJob {
  var isBrief: Bool { hasPrefix("brief") }
}

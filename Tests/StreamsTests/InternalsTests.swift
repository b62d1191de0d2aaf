import Testing

@testable import SwiftwaterStreams

@Suite("Parts of the hubs")
struct InternalsTests {
  @Test("the log gives back what was trimmed and keeps its positions")
  func log() {
    var log = EventLog<Int>()
    for element in 0..<100 { log.append(element) }
    #expect(log.wantsTrim)
    let nothing = log.trim(before: 0)
    #expect(nothing.isEmpty)
    #expect(!log.wantsTrim)
    _ = log.trim(before: 90)
    #expect(log.start == 90)
    #expect(log.end == 100)
    #expect(log[95] == 95)
    #expect(!log.wantsTrim)
    let rest = log.trim(before: 100)
    #expect(rest.count == 10)
    log.append(100)
    #expect(log[100] == 100)
  }

  @Test("trimming costs constant time per event, however long the backlog")
  func amortised() {
    var log = EventLog<Int>()
    var copied = 0
    for element in 0..<100_000 {
      log.append(element)
      if log.wantsTrim {
        _ = log.trim(before: log.start + log.elements.count / 4)
        copied += log.elements.count
      }
    }
    #expect(copied <= 4 * 100_000)
  }

  @Test("kept events are a bounded queue that counts what it refused")
  func kept() {
    var kept = KeptEvents<Int>(limit: 40)
    var read: [Int] = []
    for element in 0..<1000 {
      kept.append(element)
      if element % 2 == 0, let first = kept.popFirst() { read.append(first) }
    }
    while let first = kept.popFirst() { read.append(first) }
    #expect(kept.isEmpty)
    #expect(read == read.sorted())
    #expect(Set(read).count == read.count)
    #expect(read.count + kept.droppedCount == 1000)
  }

  @Test("slots are reused, and given back after a crowd has left")
  func slots() {
    var audience = Audience<Int, Int, Never>(policy: nil)
    for _ in 0..<10_000 {
      let slot = audience.join(0)
      _ = audience.leave(slot)
    }
    #expect(audience.cursors.count == 1)
    let crowd = (0..<1000).map { audience.join($0) }
    for slot in crowd { _ = audience.leave(slot) }
    #expect(audience.cursors.capacity == 0)
    #expect(audience.count == 0)
    #expect(audience.observing == 0)
  }

  @Test("a removal runs once, and a lock gives what its body gives")
  func removalAndLock() throws {
    let count = LockIsolated(0)
    let removal = ListenerRemoval { count.withLock { $0 += 1 } }
    removal.remove()
    removal.remove()
    #expect(count.value == 1)
    #expect(throws: Outage(number: 1)) { try count.withLock { _ throws(Outage) in throw Outage(number: 1) } }
    #expect(count.withLock { $0 + 1 } == 2)
  }
}

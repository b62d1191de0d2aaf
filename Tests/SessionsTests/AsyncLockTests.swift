import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("The lock over suspensions")
struct AsyncLockTests {
  @Test("One at a time, in the order of arrival")
  func order() async throws {
    let (lock, gate) = (AsyncLock(), Gate())
    let log = LockIsolated<[Int]>([])
    gate.close()
    let first = Task { try await lock.withLock { try await gate.pass() } }
    #expect(await eventually { lock.isHeld })
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<10 {
      tasks.append(
        Task {
          if number.isMultiple(of: 2) {
            try await lock.withLock { log.withLock { $0.append(number) } }
          } else {
            await lock.withUncancelledLock { log.withLock { $0.append(number) } }
          }
        })
      #expect(await eventually { lock.waitingCount == number + 1 })
    }
    gate.open()
    try await first.value
    for task in tasks { try await task.value }
    #expect(log.value == Array(0..<10))
    #expect(!lock.isHeld)
  }

  @Test("However many come, wait and are cancelled, there is one at a time and none is forgotten")
  func churn() async {
    let lock = AsyncLock()
    let inside = LockIsolated((now: 0, most: 0, all: 0))
    await withTaskGroup { group in
      for number in 0..<400 {
        group.addTask {
          let task = Task {
            try await lock.withLock {
              inside.withLock { ($0.now, $0.most, $0.all) = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
              await Task.yield()
              inside.withLock { $0.now -= 1 }
            }
          }
          if number.isMultiple(of: 3) { task.cancel() }
          _ = await task.result
        }
      }
    }
    #expect(inside.value.most == 1 && inside.value.all >= 266)
    #expect(!lock.isHeld && lock.waitingCount == 0)
  }

  @Test("Who is cancelled while he waits leaves the queue; what must be done waits on")
  func cancelled() async throws {
    let (lock, gate) = (AsyncLock(), Gate())
    gate.close()
    let first = Task { try await lock.withLock { try await gate.pass() } }
    #expect(await eventually { lock.isHeld })
    let second = Task { try await lock.withLock {} }
    let third = Task { await lock.withUncancelledLock { Task.isCancelled } }
    #expect(await eventually { lock.waitingCount == 2 })
    second.cancel()
    third.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(lock.waitingCount == 1)
    gate.open()
    try await first.value
    #expect(await third.value)
    #expect(!lock.isHeld)
  }
}

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

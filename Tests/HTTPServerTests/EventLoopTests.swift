import SwiftwaterStreams
import Testing

@testable import SwiftwaterEventLoop

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

struct EventLoopTests {
  private final class Recorder: EventHandler {
    let events = LockIsolated(EventInterest())

    func ready(_ events: EventInterest) { self.events.withLock { $0.formUnion(events) } }
  }

  @Test("a hang-up is reported even where nothing is waited for; half a hang-up is not one")
  func hangUp() async throws {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin) || canImport(Musl)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let loop = try EventLoop(name: "test")
    let recorder = Recorder()
    let registration = try loop.register(ends[0], for: .readable, handler: recorder)
    shutdown(ends[1], Int32(SHUT_WR))
    try await eventually("the end of the stream is readable") { recorder.events.value == .readable }
    loop.update(registration, to: [.writable])
    try await eventually("there is room") { recorder.events.value == [.readable, .writable] }
    #if !canImport(Darwin)
      loop.update(registration, to: [])
    #endif
    close(ends[1])
    try await eventually("the hang-up is reported") { recorder.events.value.contains(.hungUp) }
    loop.remove(registration)
    loop.stop()
    close(ends[0])
  }

  @Test("a task that prefers the loop runs on its thread, also after it has waited for others")
  func tasks() async throws {
    let loop = try EventLoop(name: "test")
    defer { loop.stop() }
    #expect(!loop.isCurrent)
    let results = await withTaskGroup { group in
      for number in 0..<100 {
        group.addTask(executorPreference: loop.executor) {
          var isCurrent = [loop.isCurrent]
          await Task.yield()
          isCurrent.append(loop.isCurrent)
          let other = Task { number }
          let result = await other.value
          return (result, isCurrent + [loop.isCurrent])
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.map(\.0).sorted() == Array(0..<100))
    #expect(results.allSatisfy { $0.1 == [true, true, true] })
  }

  @Test("tasks whose loop has been stopped come to their end elsewhere")
  func tasksAfterStop() async throws {
    for _ in 0..<20 {
      let loop = try EventLoop(name: "test")
      let signal = Signal()
      let ended = Counter()
      let tasks = (0..<50).map { number in
        Task(executorPreference: loop.executor) {
          if number % 2 == 0 { try? await signal.wait() } else { await Task.yield() }
          ended.add()
        }
      }
      loop.stop()
      signal.fire()
      for task in tasks { await task.value }
      #expect(ended.value == 50)
      await Task(executorPreference: loop.executor) { #expect(!loop.isCurrent) }.value
    }
  }

  @Test("calls with a time come in its order and not before, and not at all once the loop is stopped")
  func timers() async throws {
    let loop = try EventLoop(name: "test")
    let calls = LockIsolated<[(Int, isLate: Bool)]>([])
    // On the loop's thread, which cannot call the first one before it knows of all.
    loop.perform {
      let start = ContinuousClock.now
      for number in [3, 1, 2] {
        let deadline = start + .milliseconds(20 * number)
        loop.perform(at: deadline) { calls.withLock { $0.append((number, .now >= deadline)) } }
      }
    }
    try await eventually("all are called") { calls.withLock { $0.count == 3 } }
    #expect(calls.withLock { $0.map(\.0) } == [1, 2, 3])
    #expect(calls.withLock { $0.allSatisfy(\.isLate) })
    loop.perform {
      loop.perform(at: .now + .milliseconds(50)) { calls.withLock { $0.append((4, true)) } }
      loop.stop()
      loop.perform(at: .now) { calls.withLock { $0.append((5, true)) } }
    }
    let other = try EventLoop(name: "other")
    defer { other.stop() }
    let isLater = Signal()
    other.perform(at: .now + .milliseconds(100)) { isLater.fire() }
    try await isLater.wait()
    #expect(calls.withLock { $0.count == 3 })
  }

  @Test("a loop that nobody holds any more ends its thread")
  func release() async throws {
    weak var thread: LoopThread?
    do {
      let loop = try EventLoop(name: "test")
      thread = loop.thread
      await Task(executorPreference: loop.executor) { #expect(loop.isCurrent) }.value
    }
    try await eventually("the thread has ended") { thread == nil }
  }
}

import SwiftwaterStreams
import TestSupport
import Testing

@Suite("State: one value, many consumers")
struct StateSourceTests {
  @Test("a new consumer sees the latest value, then newer ones")
  func latestFirst() async {
    let source = StateSource<Int, Never>(1)
    source.send(2)
    let iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 2)
    source.send(3)
    #expect(await iterator.next() == 3)
    #expect(source.latest == 3)
    #expect(source.values.latest == 3)
  }

  @Test("a slow consumer skips to the newest value and holds nobody up")
  func conflation() async {
    let source = StateSource<Int, Never>(0)
    let slow = source.values.makeAsyncIterator()
    let fast = source.values.makeAsyncIterator()
    for value in 1...100 {
      source.send(value)
      #expect(await fast.next() == value)
    }
    #expect(await slow.next() == 100)
  }

  @Test("a waiting consumer is woken by a send")
  func waking() async {
    let source = StateSource<Int, Never>(0)
    let task = Task { await outcome(of: source.values).elements }
    #expect(await eventually { source.waitingCount == 1 })
    source.send(1)
    #expect(await eventually { source.waitingCount == 1 })
    source.finish()
    #expect(await task.value == [0, 1])
    #expect(source.consumerCount == 0)
  }

  @Test("drain before end: an unseen value comes first, then the end, then nil for ever; later consumers likewise")
  func finish() async {
    let source = StateSource<Int, Never>(0)
    let iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    source.send(1)
    source.finish()
    source.send(2)
    source.finish()
    #expect(await iterator.next() == 1)
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
    #expect(await outcome(of: source.values).elements == [1])
    #expect(source.latest == 1)
  }

  @Test("failure to all: every consumer, waiting, slow or late, sees the value and then the error")
  func failure() async throws {
    let source = StateSource<Int, Outage>(0)
    let slow = source.values
    let slowIterator = slow.makeAsyncIterator()
    let waiting = (0..<3).map { _ in Task { await outcome(of: source.values) } }
    #expect(await eventually { source.waitingCount == 3 })
    source.finish(throwing: Outage(number: 7))
    for task in waiting {
      let (elements, failure) = await task.value
      #expect(elements == [0])
      #expect(failure == Outage(number: 7))
    }
    #expect(try await slowIterator.next() == 0)
    await #expect(throws: Outage(number: 7)) { try await slowIterator.next() }
    #expect(try await slowIterator.next() == nil)
    let late = await outcome(of: source.values)
    #expect(late.elements == [0])
    #expect(late.failure == Outage(number: 7))
  }

  @Test("the error is typed, and a source that cannot fail needs no try")
  func typedFailure() async {
    let source = StateSource<Int, Outage>(0)
    source.finish(throwing: Outage(number: 1))
    do throws(Outage) {
      for try await _ in source.values {}
      Issue.record("should have thrown")
    } catch {
      #expect(error.number == 1)
    }
    let safe = StateSource<Int, Never>(0)
    safe.finish()
    for await value in safe.values { #expect(value == 0) }
  }

  @Test("cancelled, the loop ends although there is a value, and the consumer is gone with it")
  func cancellation() async {
    let source = StateSource<Int, Never>(0)
    let task = Task {
      for await _ in source.values {}
      return source.consumerCount
    }
    #expect(await eventually { source.waitingCount == 1 })
    task.cancel()
    #expect(await task.value == 0)
    #expect(source.waitingCount == 0)

    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await outcome(of: source.values).elements
    }
    #expect(await cancelled.value == [])
  }

  @Test("break deregisters although the sequence is held")
  func breaking() async {
    let source = StateSource<Int, Never>(0)
    let values = source.values
    for await _ in values { break }
    #expect(source.consumerCount == 0)
    for await value in values {
      #expect(value == 0)
      break
    }
    withExtendedLifetime(values) {}
  }

  @Test("releasing the source ends consumers that wait")
  func sourceDeinit() async {
    var source: StateSource<Int, Never>? = StateSource(5)
    let values = source?.values
    let task = Task { [values] in
      guard let values else { return [Int]() }
      return await outcome(of: values).elements
    }
    #expect(await eventually { source?.waitingCount == 1 })
    source = nil
    #expect(await task.value == [5])
  }

  @Test("update is atomic: nothing is lost between many writers")
  func atomicUpdate() async {
    let source = StateSource<Int, Never>(0)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<1000 { source.update { $0 += 1 } } }
      }
    }
    #expect(source.latest == 4000)
    source.update { value in
      if value == 4000 { source.send(10) }  // the body runs outside the lock and is repeated
      value += 1
    }
    #expect(source.latest == 11)
    source.finish()
    source.update { $0 = 0 }
    #expect(source.latest == 11)
  }

  @Test("removingDuplicates skips what equals the value seen before, per consumer")
  func duplicates() async {
    let source = StateSource<Int, Never>(1)
    let distinct = source.values.removingDuplicates().makeAsyncIterator()
    let plain = source.values.makeAsyncIterator()
    #expect(await distinct.next() == 1)
    #expect(await plain.next() == 1)
    source.send(1)
    #expect(await plain.next() == 1)
    source.send(2)
    #expect(await distinct.next() == 2)
    source.send(1)
    #expect(await distinct.next() == 1)
  }

  @Test("a value is released outside the lock: its deinit may use the source")
  func releaseOutsideLock() async {
    let source = StateSource<Hermit, Never>(Hermit())
    let released = LockIsolated(0)
    let use: @Sendable () -> Void = { [weak source] in
      _ = source?.latest
      released.withLock { $0 += 1 }
    }
    source.send(Hermit(use))
    source.send(Hermit(use))
    #expect(released.value == 1)
    source.update { $0 = Hermit(use) }
    #expect(released.value == 2)
  }

  @Test("a source, its consumers and its values are released")
  func deinits() async {
    weak var weakSource: StateSource<Hermit, Never>?
    weak var weakValue: Hermit?
    do {
      let value = Hermit()
      let source = StateSource<Hermit, Never>(value)
      (weakSource, weakValue) = (source, value)
      let task = Task { for await _ in source.values {} }
      #expect(await eventually { source.waitingCount == 1 })
      task.cancel()
      await task.value
    }
    #expect(weakSource == nil)
    #expect(weakValue == nil)
  }
}

/// A value that does something when it is released.
final class Hermit: Sendable {
  private let farewell: @Sendable () -> Void

  init(_ farewell: @escaping @Sendable () -> Void = {}) { self.farewell = farewell }

  deinit { farewell() }
}

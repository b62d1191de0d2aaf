import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Events: each to everybody who listens")
struct EventSourceTests {
  @Test("a consumer sees the events after its registration, in order; subscribe registers at once")
  func registration() async {
    let source = EventSource<Int, Never>()
    source.send(1)
    let early = source.events().subscribe()
    source.send(2)
    let late = source.events().subscribe()
    source.send(3)
    source.finish()
    source.send(4)
    #expect(await rest(early) == [2, 3])
    #expect(await rest(late) == [3])
    #expect(await outcome(of: source.events()).elements == [])
    #expect(source.consumerCount == 0)
  }

  @Test("drain before end, and failure to all: buffered events first, then the error, then nil")
  func failure() async throws {
    let source = EventSource<Int, Outage>()
    let iterators = (0..<3).map { _ in source.events().subscribe() }
    let waiting = Task { await outcome(of: source.events()) }
    #expect(await eventually { source.waitingCount == 1 })
    source.send(1)
    source.send(2)
    source.finish(throwing: Outage(number: 3))
    for iterator in iterators {
      #expect(try await iterator.next() == 1)
      #expect(try await iterator.next() == 2)
      await #expect(throws: Outage(number: 3)) { try await iterator.next() }
      #expect(try await iterator.next() == nil)
    }
    let (elements, failure) = await waiting.value
    #expect(elements == [1, 2])
    #expect(failure == Outage(number: 3))
    #expect(await outcome(of: source.events()).failure == Outage(number: 3))
  }

  @Test(
    "each policy keeps what it says and counts what it drops",
    arguments: [
      (.unbounded, Array(1...10), 0),
      (.bufferingNewest(3), [8, 9, 10], 7),
      (.bufferingOldest(3), [1, 2, 3], 7),
      (.suspending(3), Array(1...10), 0),
      (.bufferingNewest(0), [10], 9),
      (.bufferingOldest(-1), [1], 9),
    ] as [(EventBufferingPolicy, [Int], Int)])
  func policies(policy: EventBufferingPolicy, kept: [Int], dropped: Int) async {
    let source = EventSource<Int, Never>()
    let iterator = source.events(bufferingPolicy: policy).subscribe()
    let other = source.events().subscribe()
    for event in 1...10 { source.send(event) }
    #expect(iterator.droppedCount == dropped)
    source.finish()
    #expect(await rest(iterator) == kept)
    #expect(iterator.droppedCount == dropped)
    #expect(await rest(other) == Array(1...10))
    #expect(other.droppedCount == 0)
  }

  @Test("bufferingOldest takes new events as soon as it has room again")
  func oldestGoesOn() async {
    let source = EventSource<Int, Never>()
    let iterator = source.events(bufferingPolicy: .bufferingOldest(2)).subscribe()
    for event in 1...4 { source.send(event) }
    #expect(await iterator.next() == 1)
    source.send(5)
    source.send(6)
    source.finish()
    #expect(await rest(iterator) == [2, 5])
    #expect(iterator.droppedCount == 3)
  }

  @Test("bufferingNewest goes on behind what it dropped")
  func newestGoesOn() async {
    let source = EventSource<Int, Never>()
    let iterator = source.events(bufferingPolicy: .bufferingNewest(2)).subscribe()
    for event in 1...4 { source.send(event) }
    #expect(await iterator.next() == 3)
    source.send(5)
    #expect(await iterator.next() == 4)
    for event in 6...9 { source.send(event) }
    source.finish()
    #expect(await rest(iterator) == [8, 9])
    #expect(iterator.droppedCount == 5)  // 1, 2, 5, 6, 7
  }

  @Test("a slow consumer affects no other")
  func isolation() async {
    let source = EventSource<Int, Never>()
    let slow = [EventBufferingPolicy.unbounded, .bufferingNewest(1), .bufferingOldest(1), .suspending(1)].map {
      source.events(bufferingPolicy: $0).subscribe()
    }
    let fast = source.events().subscribe()
    for event in 0..<1000 {
      source.send(event)
      #expect(await fast.next() == event)
    }
    #expect(fast.droppedCount == 0)
    source.finish()
    #expect(await rest(slow[0]).count == 1000)
    #expect(await rest(slow[1]) == [999])
    #expect(await rest(slow[2]) == [0])
    #expect(await rest(slow[3]).count == 1000)
  }

  @Test("bounded consumers do not pin the log, and read events are released")
  func boundedMemory() async {
    let source = EventSource<Int, Never>()
    let bounded = [
      source.events(bufferingPolicy: .bufferingNewest(5)).subscribe(),
      source.events(bufferingPolicy: .bufferingOldest(5)).subscribe(),
    ]
    let fast = source.events().subscribe()
    for event in 0..<10_000 {
      source.send(event)
      _ = await fast.next()
    }
    #expect(source.storedCount <= 64)
    #expect(await bounded[0].next() == 9995)
    #expect(await bounded[1].next() == 0)
    #expect(fast.droppedCount == 0)
  }

  @Test("when everybody waits, or the slow one leaves, nothing is stored")
  func emptyLog() async {
    let source = EventSource<Hermit, Never>()
    let released = LockIsolated(0)
    let use: @Sendable () -> Void = { [weak source] in
      _ = source?.consumerCount
      released.withLock { $0 += 1 }
    }
    let task = Task { for await _ in source.events() {} }
    #expect(await eventually { source.waitingCount == 1 })
    source.send(Hermit(use))
    #expect(await eventually { source.waitingCount == 1 && released.value == 1 })
    #expect(source.storedCount == 0)

    var slow: EventStream<Hermit, Never>.Iterator? = source.events().subscribe()
    for _ in 0..<200 { source.send(Hermit(use)) }
    #expect(await eventually { source.waitingCount == 1 })
    #expect(source.storedCount == 200)
    #expect(released.value == 1)
    slow = nil
    #expect(source.storedCount == 0)
    #expect(released.value == 201)
    _ = slow
    task.cancel()
    await task.value
    source.send(Hermit(use))
    #expect(released.value == 202)
  }

  @Test("cancelled, the loop ends although events are buffered")
  func cancellation() async {
    let source = EventSource<Int, Never>()
    let events = source.events()
    let task = Task {
      var seen: [Int] = []
      for await event in events {
        seen.append(event)
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return (seen, source.consumerCount)
    }
    #expect(await eventually { source.waitingCount == 1 })
    for event in 0..<10 { source.send(event) }
    let (seen, consumers) = await task.value
    #expect(seen == [0])
    #expect(consumers == 0)
  }

  @Test("break deregisters although the sequence is held")
  func breaking() async {
    let source = EventSource<Int, Never>()
    let events = source.events()
    let task = Task {
      for await _ in events { break }
      return source.consumerCount
    }
    #expect(await eventually { source.waitingCount == 1 })
    source.send(1)
    #expect(await task.value == 0)
    withExtendedLifetime(events) {}
  }

  @Test("releasing the source ends consumers that wait, after what is buffered")
  func sourceDeinit() async {
    var source: EventSource<Int, Never>? = EventSource()
    let buffered = source?.events().subscribe()
    let events = source?.events()
    let task = Task {
      guard let events else { return [Int]() }
      return await outcome(of: events).elements
    }
    #expect(await eventually { source?.waitingCount == 1 })
    source?.send(1)
    source = nil
    #expect(await task.value == [1])
    #expect(await buffered?.next() == 1)
    #expect(await buffered?.next() == nil)
  }

  private func rest<Element>(_ iterator: EventStream<Element, Never>.Iterator) async -> [Element] {
    var elements: [Element] = []
    while let element = await iterator.next() { elements.append(element) }
    return elements
  }
}

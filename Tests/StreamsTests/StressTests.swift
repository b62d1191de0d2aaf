import SwiftwaterStreams
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Many producers and consumers at once. `SWIFTWATER_FULL=1` runs five times the amount.
@Suite("Stress: nothing lost, nothing twice, nothing left", .serialized)
struct StressTests {
  static let factor = getenv("SWIFTWATER_FULL") == nil ? 1 : 5
  /// How much the heap may grow in 1,000 (full: 5,000) cycles: 32 bytes each, less than any object takes.
  static let heapBound = 32 * 1000 * factor

  @Test("2 million deliveries with joins and leaves: no gap, no duplicate, no reorder, no lost tail")
  func events() async {
    let producers = 4
    let eventsPerProducer = 14_000 * Self.factor
    let source = EventSource<Tagged, Never>()
    let checker = StreamChecker(producers: producers, eventsPerProducer: eventsPerProducer)
    await run(
      checker, producers: producers, eventsPerProducer: eventsPerProducer, source: source,
      staying: 36, changing: 32
    ) { source.events() }
    #expect(checker.violations == [])
    #expect(checker.deliveries >= 2_000_000 * Self.factor)
    // At least some consumers came and went.
    #expect(checker.sessions > 100)
    #expect(source.consumerCount == 0)
    #expect(source.storedCount == 0)
  }

  @Test(
    "the checker catches a dropped, a doubled, a swapped and a lost last event",
    arguments: ["drop", "double", "swap", "tail"])
  func checkerCatches(fault: String) async {
    let source = EventSource<Tagged, Never>()
    let checker = StreamChecker(producers: 2, eventsPerProducer: 1000)
    await run(checker, producers: 2, eventsPerProducer: 1000, source: source, staying: 4, changing: 0) {
      Faulty(base: source.events(), fault: fault)
    }
    #expect(!checker.violations.isEmpty)
  }

  @Test("state under many writers: strictly newer values, and everybody sees the last")
  func state() async {
    let writes = 20_000 * Self.factor
    let source = StateSource<Int, Never>(0)
    let checker = StreamChecker(producers: 1, eventsPerProducer: 0)
    await withTaskGroup { group in
      for index in 0..<32 {
        group.addTask {
          var generator = SystemRandomNumberGenerator()
          while await !checker.follow(
            source.values, quota: index % 4 == 0 ? .max : Int.random(in: 1...50, using: &generator), final: 4 * writes)
          {}
        }
      }
      await withTaskGroup { writers in
        for _ in 0..<4 {
          writers.addTask {
            for number in 0..<writes {
              source.update { $0 += 1 }
              if number % 64 == 0 { await Task.yield() }
            }
          }
        }
      }
      source.finish()
    }
    #expect(checker.violations == [])
    #expect(checker.sessions >= 32)
    #expect(source.consumerCount == 0)
  }

  @Test(
    "the checker catches a value twice, an older value and a lost last value",
    arguments: [[1, 1, 3], [2, 1, 3], [1, 2]])
  func checkerCatchesState(values: [Int]) async {
    let checker = StreamChecker(producers: 1, eventsPerProducer: 0)
    let events = EventSource<Int, Never>()
    let stream = events.events().asyncStream()
    for value in values { events.send(value) }
    events.finish()
    #expect(await checker.follow(stream, quota: .max, final: 3))
    #expect(!checker.violations.isEmpty)
  }

  @Test("a send and an end that race a registration are seen, or came before it")
  func racingRegistration() async {
    for round in 0..<2000 * Self.factor {
      let state = StateSource<Int, Never>(0)
      let events = EventSource<Int, Never>()
      let early = events.events().subscribe()
      async let sent: Void = {
        state.send(1)
        events.send(1)
        events.send(2)
        state.finish()
        events.finish()
      }()
      async let seenState = outcome(of: state.values).elements
      async let seenEvents = outcome(of: events.events()).elements
      await sent
      let values = await seenState
      #expect(values == [0, 1] || values == [1], "round \(round)")
      #expect([[], [2], [1, 2]].contains(await seenEvents), "round \(round)")
      #expect(await early.next() == 1)
    }
  }

  @Test("a cancellation that races parking, a send and the end never leaves a task behind")
  func racingCancellation() async {
    let state = StateSource<Int, Never>(0)
    let events = EventSource<Int, Never>()
    for round in 0..<4000 * Self.factor {
      let first = Task { for await _ in state.values {} }
      let second = Task { for await _ in events.events() {} }
      if round % 3 == 0 { await Task.yield() }
      if round % 2 == 0 {
        state.send(round)
        events.send(round)
      }
      first.cancel()
      second.cancel()
      // Without an end, a lost wake-up would hang here.
      await first.value
      await second.value
    }
    #expect(state.consumerCount == 0)
    #expect(state.waitingCount == 0)
    #expect(events.consumerCount == 0)
    #expect(events.waitingCount == 0)
  }

  @Test("10,000 subscribe/cancel cycles: starts equal stops, never two live, and the heap stays flat")
  func cycles() async {
    let probe = ListenerProbe<StateSource<Int, Never>.Sink>()
    let source = StateSource<Int, Never> { sink in probe.attach(sink, keepsSink: false) }
    let eventProbe = ListenerProbe<EventSource<Int, Never>.Sink>()
    let events = EventSource<Int, Never> { sink in eventProbe.attach(sink, keepsSink: false) }
    let growth = await smallestGrowth(windows: 10, cycles: 1000 * Self.factor, bound: Self.heapBound) {
      let first = Task { for await _ in source.values {} }
      let second = Task { for await _ in events.events() {} }
      if Bool.random() { await Task.yield() }
      first.cancel()
      second.cancel()
      await first.value
      await second.value
    }
    #expect(probe.counts.starts == probe.counts.stops)
    #expect(probe.counts.maximumLive <= 1)
    #expect(eventProbe.counts.starts == eventProbe.counts.stops)
    #expect(eventProbe.counts.maximumLive <= 1)
    if let growth { #expect(growth <= Self.heapBound) }
  }

  @Test("the heap check catches a leak", .enabled(if: HeapMeter.isAvailable))
  func memoryCheckCatches() async {
    let leaks = LockIsolated<[[UInt8]]>([])
    let growth = await smallestGrowth(windows: 3, cycles: 1000 * Self.factor, bound: Self.heapBound) {
      // Far more than other tests give back meanwhile.
      leaks.withLock { $0.append([UInt8](repeating: 1, count: 16 << 10)) }
    }
    if let growth { #expect(growth > Self.heapBound) }
    #expect(leaks.withLock { $0.count } > 3000)
  }

  @Test("churn from many tasks: starts equal stops, never two live")
  func churn() async {
    let probe = ListenerProbe<EventSource<Int, Never>.Sink>()
    let source = EventSource<Int, Never> { sink in probe.attach(sink, keepsSink: false) }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1250 * Self.factor {
            let task = Task { for await _ in source.events() {} }
            if Bool.random() { await Task.yield() }
            task.cancel()
            await task.value
          }
        }
      }
    }
    #expect(await eventually { probe.live == 0 })
    #expect(probe.counts.maximumLive == 1)
    #expect(source.consumerCount == 0)
  }

  /// Consumers that stay, consumers that come and go, and producers; returns when all have ended.
  private func run<Events: AsyncSequence<Tagged, Never> & SendableMetatype>(
    _ checker: StreamChecker, producers: Int, eventsPerProducer: Int, source: EventSource<Tagged, Never>,
    staying: Int, changing: Int, events: @escaping @Sendable () -> Events
  ) async {
    await withTaskGroup { group in
      for _ in 0..<staying {
        group.addTask { _ = await checker.consume(events(), quota: .max, isFromStart: true) }
      }
      _ = await eventually { source.waitingCount == staying }
      for _ in 0..<changing {
        group.addTask {
          while await !checker.consume(events(), quota: .random(in: 1...400), isFromStart: false) {}
        }
      }
      await withTaskGroup { senders in
        for producer in 0..<producers {
          senders.addTask {
            for number in 0..<eventsPerProducer {
              source.send(Tagged(producer: producer, number: number))
              if number % 64 == 0 { await Task.yield() }
            }
          }
        }
      }
      source.finish()
    }
  }

  /// How much the heap grew in the calmest of several windows, after a warm-up: a leak grows in all of them, a
  /// neighbouring test in some. Goes on five times as long while none was calm.
  private func smallestGrowth(windows: Int, cycles: Int, bound: Int, _ body: () async -> Void) async -> Int? {
    for _ in 0..<cycles { await body() }
    var smallest = Int.max
    for window in 0..<5 * windows where window < windows || smallest > bound {
      let before = HeapMeter.bytesInUse()
      for _ in 0..<cycles { await body() }
      if let before, let after = HeapMeter.bytesInUse() { smallest = min(smallest, after - before) }
    }
    return HeapMeter.isAvailable ? smallest : nil
  }
}

/// Events with one fault.
private struct Faulty<Base: AsyncSequence<Tagged, Never>>: AsyncSequence {
  let base: Base
  let fault: String

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let fault: String
    var held: [Tagged] = []

    mutating func next(isolation: isolated (any Actor)?) async throws(Never) -> Tagged? {
      if !held.isEmpty { return held.removeFirst() }
      guard let event = await base.next(isolation: isolation) else { return nil }
      switch (fault, event.producer, event.number) {
      case ("drop", 0, 500), ("tail", 0, 999): return await next(isolation: isolation)
      case ("double", 0, 500): held = [event]
      case ("swap", 0, 500):
        while let other = await base.next(isolation: isolation) {
          held.append(other)
          if other.producer == 0 { break }
        }
        held.append(event)
        return held.removeFirst()
      default: break
      }
      return event
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), fault: fault) }
}

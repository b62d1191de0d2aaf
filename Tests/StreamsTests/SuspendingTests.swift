import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Back-pressure: senders that wait for a suspending consumer")
struct SuspendingTests {
  @Test("a sender waits while the consumer is full and goes on when it reads")
  func waits() async throws {
    let source = EventSource<Int, Never>()
    let consumer = source.events(bufferingPolicy: .suspending(2)).subscribe()
    let sent = LockIsolated(0)
    let sender = Task {
      for event in 1...5 {
        try await source.send(suspendingUntilBuffered: event)
        sent.withLock { $0 = event }
      }
    }
    for event in 1...5 {
      #expect(
        await eventually { source.waitingSenderCount == (event + 2 <= 5 ? 1 : 0) && sent.value == min(5, event + 1) })
      #expect(await consumer.next() == event)
    }
    try await sender.value
  }

  @Test("the sender goes on when the slow one leaves")
  func releasedByLeaving() async throws {
    let source = EventSource<Int, Never>()
    var slow: EventStream<Int, Never>.Iterator? = source.events(bufferingPolicy: .suspending(1)).subscribe()
    let fast = source.events().subscribe()
    source.send(1)
    let sender = Task { try await source.send(suspendingUntilBuffered: 2) }
    #expect(await eventually { source.waitingSenderCount == 1 })
    #expect(await fast.next() == 1)
    #expect(source.waitingSenderCount == 1)
    slow = nil
    try await sender.value
    #expect(await fast.next() == 2)
    _ = slow
  }

  @Test("the slowest of several suspending consumers decides")
  func slowestDecides() async throws {
    let source = EventSource<Int, Never>()
    let wide = source.events(bufferingPolicy: .suspending(10)).subscribe()
    let narrow = source.events(bufferingPolicy: .suspending(1)).subscribe()
    try await source.send(suspendingUntilBuffered: 1)
    let sender = Task { try await source.send(suspendingUntilBuffered: 2) }
    #expect(await eventually { source.waitingSenderCount == 1 })
    #expect(await wide.next() == 1)
    #expect(source.waitingSenderCount == 1)
    #expect(await narrow.next() == 1)
    try await sender.value
    #expect(await narrow.next() == 2)
  }

  @Test("a cancelled sender throws at once and has told nobody")
  func cancellation() async {
    let source = EventSource<Int, Never>()
    let consumer = source.events(bufferingPolicy: .suspending(1)).subscribe()
    source.send(1)
    let sender = Task { try await source.send(suspendingUntilBuffered: 2) }
    #expect(await eventually { source.waitingSenderCount == 1 })
    sender.cancel()
    await #expect(throws: CancellationError.self) { try await sender.value }
    #expect(source.waitingSenderCount == 0)
    source.finish()
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == nil)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await source.send(suspendingUntilBuffered: 3)
    }
    await #expect(throws: CancellationError.self) { try await early.value }
  }

  @Test("the end of the source releases waiting senders")
  func releasedByEnd() async throws {
    let source = EventSource<Int, Never>()
    let consumer = source.events(bufferingPolicy: .suspending(1)).subscribe()
    source.send(1)
    let sender = Task { try await source.send(suspendingUntilBuffered: 2) }
    #expect(await eventually { source.waitingSenderCount == 1 })
    source.finish()
    try await sender.value
    #expect(await consumer.next() == 1)
    #expect(await consumer.next() == nil)
  }

  @Test("plain send never waits and goes over the limit; without a suspending consumer nobody waits")
  func plainSend() async throws {
    let source = EventSource<Int, Never>()
    try await source.send(suspendingUntilBuffered: 0)
    let consumer = source.events(bufferingPolicy: .suspending(1)).subscribe()
    for event in 1...3 { source.send(event) }
    for event in 1...3 { #expect(await consumer.next() == event) }
  }

  @Test("a listener that waits in its sink is released when the last consumer leaves")
  func sink() async throws {
    let probe = ListenerProbe<EventSource<Int, Never>.Sink>()
    let source = EventSource<Int, Never> { sink in probe.attach(sink) }
    var consumer: EventStream<Int, Never>.Iterator? = source.events(bufferingPolicy: .suspending(1)).subscribe()
    let sink = try #require(probe.sinks.first)
    try await sink.send(suspendingUntilBuffered: 1)
    let sender = Task { try await sink.send(suspendingUntilBuffered: 2) }
    #expect(await eventually { source.waitingSenderCount == 1 })
    consumer = nil
    try await sender.value
    #expect(probe.live == 0)
    _ = consumer
  }

  @Test("many senders and readers under back-pressure lose nothing and stay within the limit")
  func noLoss() async throws {
    let source = EventSource<Int, Never>()
    let consumer = source.events(bufferingPolicy: .suspending(4)).subscribe()
    let reader = Task {
      var sum = 0
      var most = 0
      while let event = await consumer.next() {
        sum += event
        most = max(most, source.storedCount)
      }
      return (sum, most)
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for event in 1...500 { try await source.send(suspendingUntilBuffered: event) } }
      }
      try await group.waitForAll()
    }
    source.finish()
    let (sum, most) = await reader.value
    #expect(sum == 4 * 500 * 501 / 2)
    #expect(most <= 64 + 4)
  }
}

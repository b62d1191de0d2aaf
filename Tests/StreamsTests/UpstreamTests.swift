import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Sharing: one upstream listener for all consumers")
struct UpstreamTests {
  typealias State = StateSource<Int, Outage>
  let probe = ListenerProbe<State.Sink>()

  func source(_ sharing: SharingPolicy = .whileObserved(), clock: any Clock<Duration> = ContinuousClock()) -> State {
    State(sharing: sharing, clock: clock) { [probe] sink in probe.attach(sink) }
  }

  @Test("starts with the first consumer, serves all, and stops with the last, which forgets the value")
  func whileObserved() async throws {
    let source = source()
    let values = source.values
    #expect(probe.counts.starts == 0)
    var first: State.Values? = values.makeAsyncIterator()
    var second: State.Values? = values.makeAsyncIterator()
    #expect(probe.counts.starts == 1)
    probe.sinks[0].send(1)
    #expect(try await first?.next() == 1)
    #expect(try await second?.next() == 1)
    first = nil
    #expect(probe.live == 1)
    second = nil
    #expect(probe.live == 0)
    #expect(source.latest == nil)
    _ = (first, second)

    let third = values.makeAsyncIterator()
    #expect(probe.counts.starts == 2)
    probe.sinks[1].send(2)
    #expect(try await third.next() == 2)
  }

  @Test("keepsLatest shows the old value to the next consumer")
  func keepsLatest() async throws {
    let source = source(.whileObserved(keepsLatest: true))
    do {
      let iterator = source.values.makeAsyncIterator()
      probe.sinks[0].send(1)
      #expect(try await iterator.next() == 1)
    }
    #expect(probe.live == 0)
    #expect(source.latest == 1)
    let iterator = source.values.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    probe.sinks[1].send(2)
    #expect(try await iterator.next() == 2)
  }

  @Test("lifetime keeps the listener until source and streams are released")
  func lifetime() async throws {
    var source: State? = source(.lifetime)
    do { _ = source?.values.makeAsyncIterator() }
    #expect(probe.live == 1)
    probe.sinks[0].send(1)
    var iterator = source?.values.makeAsyncIterator()
    source = nil
    #expect(try await iterator?.next() == 1)
    #expect(probe.live == 1)
    iterator = nil
    #expect(probe.counts == .init(starts: 1, stops: 1, maximumLive: 1))
    _ = (source, iterator)
  }

  @Test("the stream keeps an upstream source alive")
  func streamKeepsSource() async throws {
    let values = source().values
    let iterator = values.makeAsyncIterator()
    probe.sinks[0].send(1)
    #expect(try await iterator.next() == 1)
    #expect(probe.live == 1)
  }

  @Test("a stale listener is ignored: its sends and ends count no more once it was removed")
  func staleEpoch() async throws {
    let source = source()
    do { _ = source.values.makeAsyncIterator() }
    probe.sinks[0].send(1)
    #expect(source.latest == nil)
    let iterator = source.values.makeAsyncIterator()
    probe.sinks[0].send(2)
    probe.sinks[0].finish(throwing: Outage(number: 1))
    #expect(source.latest == nil)
    probe.sinks[1].send(3)
    #expect(try await iterator.next() == 3)
    #expect(probe.live == 1)
  }

  @Test("linger: the listener outlives the last consumer for that time, and no longer")
  func linger() async throws {
    let clock = ManualClock()
    let source = source(.whileObserved(linger: .seconds(5)), clock: clock)
    do { _ = source.values.makeAsyncIterator() }
    probe.sinks[0].send(1)
    await clock.waitForSleeps(1)
    clock.advance(by: .seconds(4))
    #expect(probe.live == 1)

    // A new consumer finds the listener and its value, and stops the countdown.
    do {
      let iterator = source.values.makeAsyncIterator()
      #expect(try await iterator.next() == 1)
      #expect(await eventually { clock.pendingSleeps == 0 })
      clock.advance(by: .seconds(10))
      #expect(probe.live == 1)
    }
    await clock.waitForSleeps(1)
    #expect(clock.timeToNextSleepEnd == .seconds(5))
    clock.advance(by: .seconds(5))
    #expect(await eventually { probe.live == 0 })
    #expect(source.latest == nil)
    #expect(probe.counts.starts == 1)
  }

  @Test("a lingering source is kept alive, and released afterwards")
  func lingerKeepsSource() async {
    let clock = ManualClock()
    weak var weakSource: State?
    do {
      let source = source(.whileObserved(linger: .seconds(1)), clock: clock)
      weakSource = source
      _ = source.values.makeAsyncIterator()
    }
    await clock.waitForSleeps(1)
    #expect(weakSource != nil)
    #expect(probe.live == 1)
    clock.advance(by: .seconds(1))
    #expect(await eventually { weakSource == nil })
    #expect(probe.live == 0)
  }

  @Test("failure then restart: all current consumers fail, the next one gets a new listener")
  func failureThenRestart() async throws {
    let source = source()
    let slow = source.values.makeAsyncIterator()
    let waiting = Task { await outcome(of: source.values) }
    #expect(await eventually { source.waitingCount == 1 })
    probe.sinks[0].send(1)
    #expect(await eventually { source.waitingCount == 1 })
    probe.sinks[0].finish(throwing: Outage(number: 1))
    let (elements, failure) = await waiting.value
    #expect(elements == [1])
    #expect(failure == Outage(number: 1))
    #expect(probe.live == 0)

    let next = source.values.makeAsyncIterator()
    #expect(probe.counts == .init(starts: 2, stops: 1, maximumLive: 1))
    probe.sinks[1].send(2)
    #expect(try await next.next() == 2)
    // The slow consumer of the failed run still sees that run's value and failure.
    #expect(try await slow.next() == 1)
    await #expect(throws: Outage(number: 1)) { try await slow.next() }
    #expect(try await slow.next() == nil)
    #expect(probe.live == 1)
  }

  @Test("a listener under lifetime that fails has ended the source")
  func lifetimeFailure() async {
    let source = source(.lifetime)
    let waiting = Task { await outcome(of: source.values).failure }
    #expect(await eventually { source.waitingCount == 1 })
    probe.sinks[0].send(1)
    probe.sinks[0].finish(throwing: Outage(number: 1))
    #expect(await waiting.value == Outage(number: 1))
    let late = await outcome(of: source.values)
    #expect(late.elements == [1])
    #expect(late.failure == Outage(number: 1))
    #expect(probe.counts == .init(starts: 1, stops: 1, maximumLive: 1))
  }

  @Test("the owner's finish is final, removes the listener, and starts none again")
  func ownerFinish() async {
    let source = source()
    let waiting = Task { await outcome(of: source.values).elements }
    #expect(await eventually { source.waitingCount == 1 })
    probe.sinks[0].send(1)
    source.finish()
    #expect(await waiting.value == [1])
    #expect(await outcome(of: source.values).elements == [1])
    #expect(probe.counts == .init(starts: 1, stops: 1, maximumLive: 1))
  }

  @Test("re-entrant: start and remove may send, subscribe, leave and finish")
  func reentrant() async throws {
    let box = LockIsolated<State?>(nil)
    let source = State { sink in
      sink.send(1)
      do { _ = box.value?.values.makeAsyncIterator() }
      sink.send(2)
      return ListenerRemoval {
        sink.send(3)
        box.value?.send(4)
        do { _ = box.value?.values.makeAsyncIterator() }
      }
    }
    box.withLock { $0 = source }
    var iterator: State.Values? = source.values.makeAsyncIterator()
    #expect(try await iterator?.next() == 2)
    iterator = nil
    #expect(source.consumerCount == 0)
    _ = iterator
    box.withLock { $0 = nil }

    let ending = State { sink in
      sink.send(1)
      sink.finish(throwing: Outage(number: 1))
      return ListenerRemoval {}
    }
    let (elements, failure) = await outcome(of: ending.values)
    #expect(elements == [1])
    #expect(failure == Outage(number: 1))
  }

  @Test("events share a listener too, and restart after a failure without replay")
  func events() async throws {
    let probe = ListenerProbe<EventSource<Int, Outage>.Sink>()
    let source = EventSource<Int, Outage> { sink in probe.attach(sink) }
    let slow = source.events().subscribe()
    let bounded = source.events(bufferingPolicy: .bufferingNewest(1)).subscribe()
    let oldest = source.events(bufferingPolicy: .bufferingOldest(1)).subscribe()
    probe.sinks[0].send(1)
    probe.sinks[0].send(2)
    probe.sinks[0].finish(throwing: Outage(number: 1))
    #expect(probe.counts == .init(starts: 1, stops: 1, maximumLive: 1))
    let next = source.events().subscribe()
    #expect(probe.counts.starts == 2)
    probe.sinks[0].send(3)
    probe.sinks[1].send(4)
    #expect(try await next.next() == 4)
    #expect(await outcome(of: Replay(slow)).elements == [1, 2])
    #expect(await outcome(of: Replay(bounded)).elements == [2])
    let last = await outcome(of: Replay(oldest))
    #expect(last.elements == [1])
    #expect(last.failure == Outage(number: 1))
    #expect(source.consumerCount == 1)
  }

  @Test("source, sinks and listener closures are released when nobody uses them")
  func deinits() async {
    weak var weakSource: State?
    weak var weakCapture: Hermit?
    do {
      let capture = Hermit()
      let source = State { sink in
        let hold: @Sendable () -> Void = { sink.send(0) }
        return ListenerRemoval { withExtendedLifetime((capture, hold)) {} }
      }
      (weakSource, weakCapture) = (source, capture)
      let task = Task { for try await _ in source.values {} }
      #expect(await eventually { source.waitingCount == 1 })
      task.cancel()
      _ = await task.result
    }
    #expect(weakSource == nil)
    #expect(weakCapture == nil)
  }
}

extension StateSource {
  typealias Values = StateStream<Value, Failure>.Iterator
}

/// The rest of an iterator as a sequence.
struct Replay<Element: Sendable, Failure: Error>: AsyncSequence {
  let iterator: EventStream<Element, Failure>.Iterator

  init(_ iterator: EventStream<Element, Failure>.Iterator) { self.iterator = iterator }

  func makeAsyncIterator() -> EventStream<Element, Failure>.Iterator { iterator }
}

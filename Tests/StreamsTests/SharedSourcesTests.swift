import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Registry: one live source per request")
struct SharedSourcesTests {
  typealias State = StateSource<String, Never>

  @Test("the same key finds the same source while it is in use, and a new one afterwards")
  func identity() async throws {
    let probe = ListenerProbe<State.Sink>()
    let sources = SharedSources<String, State>()
    var first: StateStream<String, Never>.Iterator? =
      sources.source(for: "a") { sink in probe.attach(sink) }.values.makeAsyncIterator()
    let second = sources.source(for: "a") { sink in probe.attach(sink) }.values.makeAsyncIterator()
    let other = sources.source(for: "b") { sink in probe.attach(sink) }.values.makeAsyncIterator()
    #expect(probe.counts.starts == 2)
    probe.sinks[0].send("hello")
    #expect(await first?.next() == "hello")
    #expect(await second.next() == "hello")
    withExtendedLifetime(other) {}
    first = nil
    _ = first
    #expect(probe.live >= 1)
  }

  @Test("a source that nobody uses is released, with its listener")
  func weakness() {
    let probe = ListenerProbe<State.Sink>()
    let sources = SharedSources<String, State>()
    weak var weakSource: State?
    do {
      let source = sources.source(for: "a") { sink in probe.attach(sink) }
      weakSource = source
      _ = source.values.makeAsyncIterator()
    }
    #expect(weakSource == nil)
    #expect(probe.counts == .init(starts: 1, stops: 1, maximumLive: 1))
    do { _ = sources.source(for: "a") { sink in probe.attach(sink) }.values.makeAsyncIterator() }
    #expect(probe.counts == .init(starts: 2, stops: 2, maximumLive: 1))
  }

  @Test("a lingering source is found again")
  func linger() async {
    let clock = ManualClock()
    let probe = ListenerProbe<State.Sink>()
    let sources = SharedSources<String, State>()
    let stream = {
      sources.source(for: "a", sharing: .whileObserved(linger: .seconds(1)), clock: clock) { sink in
        probe.attach(sink)
      }.values
    }
    do { _ = stream().makeAsyncIterator() }
    await clock.waitForSleeps(1)
    do { _ = stream().makeAsyncIterator() }
    #expect(probe.counts == .init(starts: 1, stops: 0, maximumLive: 1))
    await clock.waitForSleeps(1)
    clock.advance(by: .seconds(1))
    #expect(await eventually { probe.live == 0 })
  }

  @Test("racing requests get one source and one listener per key")
  func racing() async {
    let probe = ListenerProbe<EventSource<Int, Never>.Sink>()
    let sources = SharedSources<Int, EventSource<Int, Never>>()
    let iterators = await withTaskGroup { group in
      for _ in 0..<200 {
        group.addTask { sources.source(for: 1) { sink in probe.attach(sink) }.events().subscribe() }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(probe.counts == .init(starts: 1, stops: 0, maximumLive: 1))
    probe.sinks[0].send(1)
    for iterator in iterators { #expect(await iterator.next() == 1) }
  }

  @Test("entries of dead sources do not accumulate, those of living ones stay")
  func sweeping() {
    let sources = SharedSources<Int, State>()
    let living = (0..<100).map { key in sources.source(for: -1 - key) { _ in ListenerRemoval {} } }
    for key in 0..<10_000 { _ = sources.source(for: key) { _ in ListenerRemoval {} } }
    #expect(sources.entryCount <= 2 * 100 + 32)
    for (key, source) in living.enumerated() {
      #expect(sources.source(for: -1 - key) { _ in ListenerRemoval {} } === source)
    }
  }
}

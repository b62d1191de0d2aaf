import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Adapters: the standard stream types on one shared listener")
struct AdapterTests {
  @Test("a state adapter becomes a consumer when it is iterated, and sees the latest value first")
  func stateAttachesLazily() async {
    let source = StateSource<Int, Never>(1)
    let stream: AsyncStream<Int> = source.values.asyncStream()
    #expect(source.consumerCount == 0)
    source.send(2)
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == 2)
    #expect(source.consumerCount == 1)
    source.send(3)
    source.send(4)
    #expect(await iterator.next() == 4)
    source.finish()
    #expect(await iterator.next() == nil)
    #expect(source.consumerCount == 0)
  }

  @Test("an event adapter is a consumer from its creation on, so nothing is missed")
  func eventsAttachEagerly() async {
    let source = EventSource<Int, Never>()
    let stream: AsyncStream<Int> = source.events().asyncStream()
    #expect(source.consumerCount == 1)
    source.send(1)
    source.send(2)
    source.finish()
    #expect(await outcome(of: stream).elements == [1, 2])
  }

  @Test("an adapter dropped without iteration removes the listener")
  func droppedWithoutIteration() {
    let probe = ListenerProbe<EventSource<Int, Outage>.Sink>()
    let source = EventSource<Int, Outage> { sink in probe.attach(sink) }
    var stream: AsyncThrowingStream<Int, any Error>? = source.events().asyncThrowingStream()
    #expect(probe.live == 1)
    stream = nil
    #expect(probe.live == 0)
    #expect(source.consumerCount == 0)
    _ = stream

    let stateProbe = ListenerProbe<StateSource<Int, Outage>.Sink>()
    let state = StateSource<Int, Outage> { sink in stateProbe.attach(sink) }
    do { _ = state.values.asyncThrowingStream() }
    #expect(stateProbe.counts.starts == stateProbe.counts.stops)
  }

  @Test("N adapters share one listener, and each gets everything")
  func manyAdapters() async throws {
    let probe = ListenerProbe<EventSource<Int, Outage>.Sink>()
    let source = EventSource<Int, Outage> { sink in probe.attach(sink) }
    let streams = (0..<10).map { _ in source.events().asyncThrowingStream() }
    let tasks = streams.map { stream in Task { try await stream.reduce(into: []) { $0.append($1) } } }
    #expect(await eventually { source.waitingCount == 10 })
    #expect(probe.counts == .init(starts: 1, stops: 0, maximumLive: 1))
    for event in 1...5 { probe.sinks[0].send(event) }
    probe.sinks[0].finish()
    for task in tasks { #expect(try await task.value == [1, 2, 3, 4, 5]) }
    #expect(probe.counts == .init(starts: 1, stops: 1, maximumLive: 1))

    let stateProbe = ListenerProbe<StateSource<Int, Outage>.Sink>()
    let state = StateSource<Int, Outage> { sink in stateProbe.attach(sink) }
    let states = (0..<10).map { _ in state.values.asyncThrowingStream() }
    #expect(stateProbe.counts.starts == 0)
    let stateTasks = states.map { stream in Task { try await stream.reduce(0) { max($0, $1) } } }
    #expect(await eventually { state.waitingCount == 10 })
    #expect(stateProbe.counts == .init(starts: 1, stops: 0, maximumLive: 1))
    stateProbe.sinks[0].send(7)
    stateProbe.sinks[0].finish()
    for task in stateTasks { #expect(try await task.value == 7) }
  }

  @Test("a failure ends a throwing adapter after what is buffered")
  func failure() async {
    let source = EventSource<Int, Outage>()
    let stream = source.events().asyncThrowingStream()
    source.send(1)
    source.finish(throwing: Outage(number: 1))
    let (elements, failure) = await outcome(of: stream)
    #expect(elements == [1])
    #expect(failure as? Outage == Outage(number: 1))

    let state = StateSource<Int, Outage>(1)
    state.finish(throwing: Outage(number: 2))
    let (values, stateFailure) = await outcome(of: state.values.asyncThrowingStream())
    #expect(values == [1])
    #expect(stateFailure as? Outage == Outage(number: 2))
  }

  @Test("cancelling the iterating task detaches the adapter although it is held")
  func cancellation() async {
    let events = EventSource<Int, Never>()
    let state = StateSource<Int, Never>(0)
    let eventStream = events.events().asyncStream()
    let stateStream = state.values.asyncStream()
    let eventTask = Task { for await _ in eventStream {} }
    let stateTask = Task { for await _ in stateStream {} }
    #expect(await eventually { events.waitingCount == 1 && state.waitingCount == 1 })
    eventTask.cancel()
    stateTask.cancel()
    await eventTask.value
    await stateTask.value
    #expect(events.consumerCount == 0)
    #expect(state.consumerCount == 0)
    withExtendedLifetime((eventStream, stateStream)) {}
  }

  @Test("nothing is buffered in an adapter: a slow one does not keep events that its policy drops")
  func notBufferedTwice() async {
    let source = EventSource<Int, Never>()
    let stream = source.events(bufferingPolicy: .bufferingNewest(1)).asyncStream()
    for event in 1...100 { source.send(event) }
    source.finish()
    #expect(await outcome(of: stream).elements == [100])
  }

  @Test("two tasks on one adapter share its elements and neither loses any")
  func concurrentIteration() async {
    let source = EventSource<Int, Never>()
    let stream = source.events().asyncStream()
    let tasks = (0..<2).map { _ in Task { await outcome(of: stream).elements } }
    #expect(await eventually { source.waitingCount == 2 })
    for event in 0..<1000 { source.send(event) }
    #expect(await eventually { source.waitingCount == 2 })
    source.finish()
    let halves = [await tasks[0].value, await tasks[1].value]
    #expect((halves[0] + halves[1]).sorted() == Array(0..<1000))
  }

  @Test("cancelling one of two tasks on one consumer ends the other too, which nothing would wake any more")
  func cancellationOfOneOfTwo() async {
    let events = EventSource<Int, Never> { _ in ListenerRemoval {} }
    let state = StateSource<Int, Never> { _ in ListenerRemoval {} }
    let eventStream = events.events().asyncStream()
    let stateIterator = state.values.makeAsyncIterator()
    let bystander = Task { await outcome(of: state.values).elements }
    let eventTasks = (0..<2).map { _ in Task { await outcome(of: eventStream).elements } }
    let stateTasks = (0..<2).map { _ in Task { await stateIterator.next() } }
    defer {
      for task in eventTasks + [bystander] { task.cancel() }
      for task in stateTasks { task.cancel() }
    }
    #expect(await eventually { events.waitingCount == 2 && state.waitingCount == 3 })
    eventTasks[0].cancel()
    stateTasks[0].cancel()
    let isOver = await eventually { events.waitingCount == 0 && state.waitingCount == 1 }
    #expect(isOver)
    guard isOver else { return }
    for task in eventTasks { #expect(await task.value.isEmpty) }
    for task in stateTasks { #expect(await task.value == nil) }
    #expect(events.consumerCount == 0)
    state.send(1)
    state.finish()
    #expect(await bystander.value == [1])
  }
}

import Observation
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("ObservedState: a stream as an observable property")
@MainActor
struct ObservedStateTests {
  @Test("the value is there at once and follows the source")
  func follows() async {
    let source = StateSource<Int, Never>(1)
    let observed = ObservedState(source.values)
    #expect(observed.value == 1)
    source.send(2)
    #expect(await eventually { observed.value == 2 })
    source.finish()
    #expect(await eventually { observed.isFinished })
    #expect(observed.value == 2)
    #expect(observed.error == nil)
  }

  @Test("an error ends it and is kept, with the last value")
  func failure() async {
    let source = StateSource<Int, Outage>(1)
    let observed = ObservedState(source.values)
    source.send(2)
    source.finish(throwing: Outage(number: 4))
    #expect(await eventually { observed.isFinished })
    #expect(observed.error as? Outage == Outage(number: 4))
    #expect(observed.value == 2)
  }

  @Test("observers are told")
  func notifies() async {
    let source = StateSource<Int, Never>(1)
    let observed = ObservedState(source.values)
    let changed = LockIsolated(false)
    #expect(await eventually { source.waitingCount == 1 })
    withObservationTracking {
      _ = observed.value
    } onChange: {
      changed.withLock { $0 = true }
    }
    source.send(2)
    #expect(await eventually { changed.value })
  }

  @Test("released, it leaves the source: nothing retains it")
  func deinits() async {
    let source = StateSource<Int, Never>(1)
    weak var weakObserved: ObservedState<Int>?
    do {
      let observed = ObservedState(source.values)
      weakObserved = observed
      #expect(await eventually { source.waitingCount == 1 })
    }
    #expect(weakObserved == nil)
    #expect(await eventually { source.consumerCount == 0 })
  }

  @Test("it follows any sequence, such as an AsyncStream")
  func anySequence() async {
    let source = EventSource<Int, Never>()
    let observed = ObservedState(source.events().asyncStream(), initially: 0)
    #expect(observed.value == 0)
    source.send(1)
    #expect(await eventually { observed.value == 1 })
  }
}

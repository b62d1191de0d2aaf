import SwiftwaterStreams

/// An upstream that counts its listeners and keeps their sinks.
final class ListenerProbe<Sink: Sendable>: Sendable {
  struct Counts: Equatable {
    var starts = 0
    var stops = 0
    var maximumLive = 0
    var live: Int { starts - stops }
  }

  private let state = LockIsolated((counts: Counts(), sinks: [Sink]()))

  var counts: Counts { state.withLock { $0.counts } }
  var sinks: [Sink] { state.withLock { $0.sinks } }
  var live: Int { counts.live }

  /// - Parameter keepsSink: Off for many cycles.
  func attach(_ sink: Sink, keepsSink: Bool = true) -> ListenerRemoval {
    state.withLock { state in
      state.counts.starts += 1
      state.counts.maximumLive = max(state.counts.maximumLive, state.counts.live)
      if keepsSink { state.sinks.append(sink) }
    }
    return ListenerRemoval { [state] in state.withLock { $0.counts.stops += 1 } }
  }
}

/// For tests of failures.
struct Outage: Error, Equatable {
  var number: Int
}

/// Everything a sequence yields and how it ended.
func outcome<Elements: AsyncSequence>(
  of elements: Elements
) async -> (elements: [Elements.Element], failure: Elements.Failure?) where Elements.Element: Sendable {
  var collected: [Elements.Element] = []
  do {
    for try await element in elements { collected.append(element) }
    return (collected, nil)
  } catch {
    return (collected, error)
  }
}

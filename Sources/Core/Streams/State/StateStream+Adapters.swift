extension StateStream where Failure == Never {
  /// The values as a standard `AsyncStream`, for API that prescribes that type.
  ///
  /// Every call makes a stream of its own; all share the source's one listener and its one value, nothing is buffered.
  /// It becomes a consumer when it is first iterated, as nothing can be missed before: the latest value comes first. It
  /// leaves at its end, when the iterating task is cancelled, or when the stream is released (`break` alone keeps it
  /// registered while you hold the stream). Like every `AsyncStream` it has one consumer; a second one gets some of the
  /// values.
  public func asyncStream() -> AsyncStream<Element> {
    let consumer = LazyIterator(self)
    return AsyncStream { await consumer.iterator.next(isolation: nil) }
  }
}

extension StateStream {
  /// The values as a standard `AsyncThrowingStream`; otherwise like ``asyncStream()``.
  public func asyncThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    let consumer = LazyIterator(self)
    return AsyncThrowingStream { () async throws -> Element? in try await consumer.iterator.next(isolation: nil) }
  }
}

/// Becomes a consumer on first use.
private final class LazyIterator<Element: Sendable, Failure: Error>: Sendable {
  private enum Stage {
    case unused
    case consuming(StateStream<Element, Failure>.Iterator)
  }

  private let stream: StateStream<Element, Failure>
  private let stage = LockIsolated(Stage.unused)

  init(_ stream: StateStream<Element, Failure>) {
    self.stream = stream
  }

  var iterator: StateStream<Element, Failure>.Iterator {
    if case .consuming(let iterator) = stage.value { return iterator }
    // Registering may call the source's `start`, so it happens outside the lock. The loser of a race just leaves again.
    let new = stream.makeAsyncIterator()
    return stage.withLock { stage in
      if case .consuming(let iterator) = stage { return iterator }
      stage = .consuming(new)
      return new
    }
  }
}

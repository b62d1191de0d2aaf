extension EventStream where Failure == Never {
  /// The events as a standard `AsyncStream`, for API that prescribes that type.
  ///
  /// The stream is a consumer from this call on, so no event is missed between here and its iteration. Every call makes
  /// a stream of its own; all share the source's one listener and its one log, so nothing is buffered twice. It leaves
  /// at its end, when the iterating task is cancelled, or when the stream is released, iterated or not (`break` alone
  /// keeps it registered while you hold the stream). Like every `AsyncStream` it has one consumer; a second one gets
  /// some of the events.
  public func asyncStream() -> AsyncStream<Element> {
    let iterator = subscribe()
    return AsyncStream { await iterator.next(isolation: nil) }
  }
}

extension EventStream {
  /// The events as a standard `AsyncThrowingStream`; otherwise like ``asyncStream()``.
  public func asyncThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    let iterator = subscribe()
    return AsyncThrowingStream { () async throws -> Element? in
      try await iterator.next(isolation: nil)
    }
  }
}

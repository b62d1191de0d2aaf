extension EventSource {
  /// Where an upstream listener puts what it hears.
  ///
  /// A sink belongs to one start of the listener: what it sends after that listener was removed, or has ended its
  /// stream, is ignored.
  ///
  /// - Threading: may be used from any thread.
  public struct Sink: Sendable {
    @usableFromInline let hub: Hub<EventCore<Element, Failure>>
    @usableFromInline let epoch: Int

    /// Tells everybody. Never waits.
    @inlinable
    public func send(_ element: Element) {
      hub.core.withLock { $0.send(element, epoch: epoch) }.perform()
    }

    /// Tells everybody once no `.suspending` consumer is full; see ``EventSource/send(suspendingUntilBuffered:)``.
    ///
    /// Returns without effect when the listener is removed meanwhile.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled; the event was then told to nobody.
    public func send(suspendingUntilBuffered element: Element) async throws(CancellationError) {
      try await hub.send(suspendingUntilBuffered: element, epoch: epoch)
    }

    /// Ends the stream of this listener, which is then removed: all current consumers read what is left and end.
    ///
    /// Under `.whileObserved` the next consumer starts a new listener; under `.lifetime` the source has ended.
    public func finish() {
      hub.end(failure: nil, epoch: epoch, owner: nil)
    }

    /// Like ``finish()``, but all current consumers throw `failure`.
    public func finish(throwing failure: Failure) {
      hub.end(failure: failure, epoch: epoch, owner: nil)
    }
  }
}

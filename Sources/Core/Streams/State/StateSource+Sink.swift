extension StateSource {
  /// Where an upstream listener puts what it hears.
  ///
  /// A sink belongs to one start of the listener: what it sends after that listener was removed, or has ended its
  /// stream, is ignored.
  ///
  /// - Threading: may be used from any thread.
  public struct Sink: Sendable {
    @usableFromInline let hub: Hub<StateCore<Value, Failure>>
    @usableFromInline let epoch: Int

    /// Replaces the source's value.
    @inlinable
    public func send(_ value: Value) {
      hub.core.withLock { $0.send(value, epoch: epoch) }.perform()
    }

    /// Ends the stream of this listener, which is then removed: all current consumers see the newest value and end.
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

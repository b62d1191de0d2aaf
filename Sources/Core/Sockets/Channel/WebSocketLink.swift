/// What a ``WebSocketChannel`` asks of the one who moves its bytes: a server's connection or a client's engine.
///
/// The channel calls these when a *user's* call has changed something, on that user's thread and with no lock held. What
/// a call of the driver itself brings about is told in its ``WebSocketReaction`` instead, so that a driver may call the
/// channel under its own lock.
package protocol WebSocketLink: AnyObject, Sendable {
  /// There is output again: call `takeOutput` until it returns nil. Not repeated before that.
  func outputIsReady()

  /// There was room again after a reaction that said `pausesReading`.
  ///
  /// May come at any moment after that call of `received` has begun, and late: ask `isReadingPaused` under the lock, or
  /// on the queue, under which pauses are noted.
  func resumeReading()

  /// See ``WebSocketReaction/finishesWriting``.
  func finishWriting()

  /// See ``WebSocketReaction/closesLink``.
  func closeLink()
}

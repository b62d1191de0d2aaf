/// What a driver has to do after calls to a ``WebSocketChannel``. Several calls may add to one reaction.
package struct WebSocketReaction: Sendable {
  /// Call `takeOutput` until it returns nil.
  package var hasOutput = false
  /// Read no more until `resumeReading`. Bytes that have been read already may still be handed over.
  package var pausesReading = false
  /// Nothing follows the output that has been taken: when that is written, shut down the sending direction (a link that
  /// cannot just leaves it), and go on reading until the peer's end or `closesLink`, so that no unread byte makes the
  /// system discard the Close frame. Only a server is told so; a client waits for the server's end.
  package var finishesWriting = false
  /// Close the connection now, whatever is left to be written, and call `linkClosed`.
  package var closesLink = false

  var resumesReading = false
  var wakeups = WebSocketWakeups()

  /// Nothing to do.
  package init() {}

  /// Wakes the tasks that have waited for this. Call it in every case, with no lock held.
  package func wake() { wakeups.perform() }

  /// Does everything on behalf of a user's call.
  func perform(on link: (any WebSocketLink)?) {
    if let link {
      if hasOutput { link.outputIsReady() }
      if resumesReading { link.resumeReading() }
      if finishesWriting { link.finishWriting() }
      if closesLink { link.closeLink() }
    }
    wake()
  }
}

/// Continuations to resume, with what.
struct WebSocketWakeups: Sendable {
  typealias Receiver = CheckedContinuation<WebSocketMessage?, any Error>
  typealias Sender = CheckedContinuation<Void, any Error>

  var receiver: (Receiver, Result<WebSocketMessage?, any Error>)?
  var senders: [(Sender, Result<Void, any Error>)] = []
  var closers: [CheckedContinuation<Void, Never>] = []

  func perform() {
    receiver?.0.resume(with: receiver?.1 ?? .success(nil))
    for (sender, result) in senders { sender.resume(with: result) }
    for closer in closers { closer.resume() }
  }
}

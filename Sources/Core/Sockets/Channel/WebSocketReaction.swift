/// What a driver has to do after calls to a ``WebSocketChannel``. Several calls may add to one reaction.
package struct WebSocketReaction: Sendable {
  /// Call `takeOutput` until it returns nil.
  package var hasOutput = false
  /// Read no more until `resumeReading`; false after a call of `received`: go on. Bytes that have been read already may
  /// still be handed over.
  package var pausesReading = false
  /// Nothing follows the output that has been taken: when that is written, shut down the sending direction (a link that
  /// cannot just leaves it), and go on reading until the peer's end or `closesLink`, so that no unread byte makes the
  /// system discard the Close frame. Only a server is told so; a client waits for the server's end.
  package var finishesWriting = false
  /// Close the connection now, whatever is left to be written, and call `linkClosed`.
  package var closesLink = false

  /// Read again: what had paused it is over. Usually a user's call brings this about, and `resumeReading` tells it.
  package var resumesReading = false

  var wakeups: [WebSocketWakeup] = []

  /// Nothing to do.
  package init() {}

  /// Wakes the tasks that have waited for this. Call it in every case, with no lock held.
  package func wake() {
    for wakeup in wakeups { wakeup.perform() }
  }

  /// Whether there is anything to tell the link.
  var concernsLink: Bool { hasOutput || resumesReading || finishesWriting || closesLink }

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

/// A continuation to resume, with what.
enum WebSocketWakeup: Sendable {
  case receiver(CheckedContinuation<WebSocketMessage?, any Error>, Result<WebSocketMessage?, any Error>)
  case sender(CheckedContinuation<Void, any Error>, Result<Void, any Error>)
  case closer(CheckedContinuation<Void, Never>)

  func perform() {
    switch self {
    case .receiver(let continuation, let result): continuation.resume(with: result)
    case .sender(let continuation, let result): continuation.resume(with: result)
    case .closer(let continuation): continuation.resume()
    }
  }
}

/// A task that waits in a channel, by a number with which its wait can be cancelled.
///
/// An object, since asking an optional reference whether it is there costs next to nothing.
final class WebSocketWait<Value, Failure: Error>: Sendable {
  let id: UInt64
  let continuation: CheckedContinuation<Value, Failure>

  init(_ id: UInt64, _ continuation: CheckedContinuation<Value, Failure>) {
    self.id = id
    self.continuation = continuation
  }
}

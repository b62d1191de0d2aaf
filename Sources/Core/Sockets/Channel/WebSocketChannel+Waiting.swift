extension WebSocketChannel {
  /// The next message, nil at a clean end.
  func receive() async throws -> WebSocketMessage? {
    if case .finished(let result) = act({ core, reaction in core.receive(waiting: nil, &reaction) }) {
      return try result.get()
    }
    let id = act { core, _ in core.makeID() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let waiting = WebSocketWait(id, continuation)
        let attempt = act { core, reaction in core.receive(waiting: waiting, &reaction) }
        if case .finished(let result) = attempt { return continuation.resume(with: result) }
        // A cancellation that came before the receiver waited has found nobody to resume.
        if Task.isCancelled { cancelReceiver(id) }
      }
    } onCancel: {
      cancelReceiver(id)
    }
  }

  /// Waits until it is this sender's turn.
  func awaitRoom() async throws {
    let id = act { core, _ in core.makeID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        act { core, reaction in core.awaitRoom(WebSocketWait(id, continuation), &reaction) }
        if Task.isCancelled { cancelSender(id) }
      }
    } onCancel: {
      cancelSender(id)
    }
  }

  /// Waits until the closing handshake is done, the connection is gone, or the task is cancelled.
  func awaitEnd() async {
    let id = act { core, _ in core.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard act({ core, _ in core.awaitEnd(WebSocketWait(id, continuation)) }) else { return continuation.resume() }
        if Task.isCancelled { cancelCloser(id) }
      }
    } onCancel: {
      cancelCloser(id)
    }
  }

  private func cancelReceiver(_ id: UInt64) {
    act { core, _ in core.cancelReceiver(id) }?.continuation.resume(throwing: CancellationError())
  }

  private func cancelSender(_ id: UInt64) {
    act { core, _ in core.cancelSender(id) }?.continuation.resume(throwing: CancellationError())
  }

  private func cancelCloser(_ id: UInt64) {
    act { core, _ in core.cancelCloser(id) }?.continuation.resume()
  }

  /// Queues a ping like a message.
  func ping(_ payload: [UInt8], isAdmitted: Bool) throws(WebSocketError) -> Bool {
    let offer = payload.withUnsafeBytes { self.offer(.ping, $0, isAdmitted) }
    switch offer {
    case .queued: return true
    case .full: return false
    case .refused(let error): throw error
    }
  }
}

extension WebSocketChannel {
  /// Senders that wait at this moment.
  package var waitingSenders: Int { act { core, _ in core.waitingSenders } }
  /// Calls of `close` that wait at this moment.
  var waitingClosers: Int { act { core, _ in core.waitingClosers } }
  /// Whether somebody waits for a message at this moment.
  var isReceiving: Bool { act { core, _ in core.isReceiving } }
}

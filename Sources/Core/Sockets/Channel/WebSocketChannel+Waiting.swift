extension WebSocketChannel {
  /// The next message, nil at a clean end.
  func receive() async throws -> WebSocketMessage? {
    let (attempt, id) = act { core, reaction in (core.receive(waiting: nil, id: 0, &reaction), core.makeID()) }
    if case .finished(let result) = attempt { return try result.get() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let attempt = act { core, reaction in core.receive(waiting: continuation, id: id, &reaction) }
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
        act { core, reaction in core.awaitRoom(id, continuation, &reaction) }
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
        guard act({ core, _ in core.awaitEnd(id, continuation) }) else { return continuation.resume() }
        if Task.isCancelled { cancelCloser(id) }
      }
    } onCancel: {
      cancelCloser(id)
    }
  }

  private func cancelReceiver(_ id: UInt64) {
    act { core, _ in core.cancelReceiver(id) }?.resume(throwing: CancellationError())
  }

  private func cancelSender(_ id: UInt64) {
    act { core, _ in core.cancelSender(id) }?.resume(throwing: CancellationError())
  }

  private func cancelCloser(_ id: UInt64) {
    act { core, _ in core.cancelCloser(id) }?.resume()
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

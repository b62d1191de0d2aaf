internal import SwiftwaterSockets

extension Connection {
  /// What is to be done once the connection's lock is free.
  struct Effects: Sendable {
    var worker: CheckedContinuation<Job?, Never>?
    var job: Job?
    /// To be released outside the lock.
    var dropped: Job?
    var writer: CheckedContinuation<Void, Never>?
    var readers: [BodyChannel.Wakeup] = []
    var cancelled: Task<Void, Never>?
    /// What tasks wait for at the WebSocket.
    var reaction = WebSocketReaction()
    var closing: WebSocketChannel?
    /// The task has some seconds left for what it has received.
    var leavesLate = false
    /// The socket is closed and the task has ended.
    var isGone = false

    func perform(for connection: Connection) {
      cancelled?.cancel()
      for reader in readers { reader.perform() }
      writer?.resume()
      worker?.resume(returning: job)
      reaction.wake()
      closing?.beginClosing(code: .goingAway)
      if leavesLate { connection.engine.cancelLater(connection) }
      if isGone { connection.engine.forget(connection) }
    }
  }
}

extension Connection {
  /// What is to be done once the connection's lock is free.
  struct Effects: Sendable {
    var worker: CheckedContinuation<Work?, Never>?
    var work: Work?
    var writer: CheckedContinuation<Void, Never>?
    var readers: [BodyChannel.Wakeup] = []
    var cancelled: Task<Void, Never>?
    /// The socket is closed and the task has ended.
    var isGone = false

    func perform(for connection: Connection) {
      cancelled?.cancel()
      for reader in readers { reader.perform() }
      writer?.resume()
      worker?.resume(returning: work)
      if isGone { connection.engine.forget(connection) }
    }
  }
}

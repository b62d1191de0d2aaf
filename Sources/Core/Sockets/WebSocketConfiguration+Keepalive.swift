extension WebSocketConfiguration {
  /// How a dead peer is noticed: silence leads to a ping, more silence to the end of the connection.
  ///
  /// Everything that arrives counts as a sign of life. A peer whose messages are not being received by the application
  /// is not taken for dead.
  public struct Keepalive: Sendable, Hashable {
    /// A ping is sent when nothing has arrived for so long.
    public var interval: Duration
    /// The connection fails with `timeout` when nothing has arrived for so long after a ping.
    public var timeout: Duration

    /// Pings after 30 s of silence and waits 15 s unless told otherwise.
    public init(interval: Duration = .seconds(30), timeout: Duration = .seconds(15)) {
      self.interval = interval
      self.timeout = timeout
    }
  }
}

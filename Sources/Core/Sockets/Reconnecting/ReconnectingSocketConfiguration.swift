internal import SwiftwaterHTTP

/// How a ``ReconnectingSocket`` reconnects and notices that a server is gone.
public struct ReconnectingSocketConfiguration: Sendable {
  /// The waiting time before another attempt: "full jitter", anything between nothing and a limit that doubles with
  /// every failure. By default from 1 s up to 30 s.
  public struct Backoff: Sendable, Hashable {
    /// The limit after the first failure.
    public var base: Duration
    /// The highest limit.
    public var cap: Duration

    /// A limit that begins at `base` and ends at `cap`.
    public init(base: Duration = .seconds(1), cap: Duration = .seconds(30)) {
      self.base = base
      self.cap = cap
    }

    /// The waiting time after so many failures in a row.
    ///
    /// - Parameter random: Between 0 and 1: the part of the limit to wait.
    public func delay(failures: Int, random: Double) -> Duration {
      var limit = min(base, cap)
      for _ in 1..<max(failures, 1) where limit < cap { limit = min(limit * 2, cap) }
      return limit * min(max(random, 0), 1)
    }
  }

  /// Messages of the application's own protocol that a server has to answer.
  ///
  /// WebSocket pings, which `WebSocketConfiguration.Keepalive` sends, prove that the network works; this proves that
  /// the service behind it does.
  public struct Heartbeat: Sendable {
    /// The time from the opening, or the last reply, to the next heartbeat.
    public var interval: Duration
    /// How long a reply may take before the connection is given up.
    public var timeout: Duration
    /// Makes the heartbeat of that number, which counts from 1 on each connection.
    public var message: @Sendable (_ number: Int) -> WebSocketMessage
    /// Whether a message is the reply to the heartbeat of that number.
    public var isReply: @Sendable (_ message: WebSocketMessage, _ number: Int) -> Bool

    /// Heartbeats; every message counts as a reply unless `isReply` says otherwise.
    public init(
      interval: Duration, timeout: Duration,
      message: @escaping @Sendable (_ number: Int) -> WebSocketMessage,
      isReply: @escaping @Sendable (_ message: WebSocketMessage, _ number: Int) -> Bool = { _, _ in true }
    ) {
      self.interval = interval
      self.timeout = timeout
      self.message = message
      self.isReply = isReply
    }
  }

  /// The connection's own limits and deadlines.
  public var webSocket = WebSocketConfiguration()
  /// Subprotocols in order of preference.
  public var protocols: [String] = []
  /// The waiting time before another attempt.
  public var backoff = Backoff()
  /// Heartbeats; nil, the default, for none.
  public var heartbeat: Heartbeat?
  /// Whether trying again is useless after this error. By default after a refusal with status 401, 403 or 404, and for
  /// a request that cannot be sent. A connection that the server closed ends with ``WebSocketError/Code/closed`` and the
  /// server's ``WebSocketError/closeCode``.
  public var isFinal: @Sendable (any Error) -> Bool = { error in
    guard let error = error as? WebSocketError else { return false }
    return error.code == .invalidRequest || [401, 403, 404].contains(error.status?.code)
  }

  /// The defaults.
  public init() {}
}

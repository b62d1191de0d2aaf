public import SwiftwaterHTTP

/// How a ``ReconnectingSocket`` reconnects and notices that a server is gone.
public struct ReconnectingSocketConfiguration: Sendable {
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
  /// The waiting time before another attempt: anything up to a limit that doubles from 1 s to 30 s.
  public var backoff = Backoff(base: .seconds(1), cap: .seconds(30), jitter: .full)
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

/// Limits, deadlines and compression of a WebSocket, for clients and servers alike.
public struct WebSocketConfiguration: Sendable, Hashable {
  /// The largest message that is received, in bytes after decompression; a larger one ends the connection with code
  /// 1009. 16 MiB by default.
  public var maximumMessageBytes = 16 << 20
  /// The largest frame that is received, in bytes as on the wire. 16 MiB by default.
  public var maximumFrameBytes = 16 << 20
  /// Whether and how messages are compressed (RFC 7692), if the peer agrees. Nil, the default: not at all.
  public var compression: Compression?
  /// How a dead peer is noticed. Nil: not at all. By default a ping after 30 s of silence, answered within 15 s.
  public var keepalive: Keepalive? = Keepalive()
  /// How long a peer may take to answer a Close frame, and then to end the connection. 5 s by default.
  public var closeTimeout: Duration = .seconds(5)
  /// While this many bytes wait for the network, `send` waits too. 1 MiB by default.
  public var sendBufferBytes = 1 << 20
  /// When this many bytes of messages wait to be received, nothing more is read from the network. 1 MiB by default.
  public var receiveBufferBytes = 1 << 20

  /// The defaults.
  public init() {}
}

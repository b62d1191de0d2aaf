/// An open WebSocket, on either side.
///
/// Sending and receiving are independent: one task may receive while others send. Releasing a connection that is open
/// closes it with code 1001.
///
/// - Cancellation: a waiting call throws `CancellationError` at once and leaves the connection as it was: a cancelled
///   `receive` loses no message, a cancelled `send` has sent nothing.
public protocol WebSocketConnection: AnyObject, Sendable {
  /// The subprotocol both sides agreed on (RFC 6455 §1.9).
  var subprotocol: String? { get }

  /// Sends a message. Returns when it has been queued; waits while the queue is full (`sendBufferBytes`).
  ///
  /// - Throws: ``WebSocketError``: `closed` once the connection is closing, or what has ended it.
  func send(_ message: WebSocketMessage) async throws

  /// The next message; nil once the connection was closed by a closing handshake, whoever began it.
  ///
  /// While nobody receives, the peer is held back when `receiveBufferBytes` have arrived. The peer's Close frame is
  /// answered when the messages before it have been received, so that they can still be replied to.
  ///
  /// - Throws: ``WebSocketError`` when the connection ended in any other way, after the messages that arrived before;
  ///   `alreadyReceiving` when another task waits in `receive`.
  func receive() async throws -> WebSocketMessage?

  /// Sends a ping with at most 125 bytes. The pong is not reported; `Keepalive` uses pings to notice dead peers.
  ///
  /// - Throws: Like `send`; `payloadTooLong` for a longer payload.
  func ping(_ payload: [UInt8]) async throws

  /// Closes the connection: sends a Close frame behind the messages, and waits until the peer has answered it, for
  /// `closeTimeout` at most. When its task is cancelled it returns at once, and the closing goes on.
  ///
  /// Messages that arrive after this call are dropped. Does nothing when the connection is closed already.
  ///
  /// - Parameters:
  ///   - code: `noStatusReceived` sends none; another one that must not be on the wire is sent as `normalClosure`.
  ///   - reason: At most 123 bytes of UTF-8; more is cut off at a character.
  func close(code: WebSocketCloseCode, reason: String) async

  /// The code with which the connection ended: the peer's if it sent a Close frame, `abnormalClosure` where it did not.
  /// Nil until then.
  var closeCode: WebSocketCloseCode? { get }

  /// The reason that came with the peer's Close frame; nil until the connection has ended.
  var closeReason: String? { get }
}

extension WebSocketConnection {
  /// The messages until the connection ends; see ``receive()``. The loop ends normally when its task is cancelled.
  public var messages: WebSocketMessages { WebSocketMessages(connection: self) }

  /// Sends a text.
  public func send(_ text: String) async throws { try await send(.text(text)) }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) async throws { try await send(.binary(bytes)) }

  /// Sends an empty ping.
  public func ping() async throws { try await ping([]) }

  /// Closes the connection with code 1000; see ``close(code:reason:)``.
  public func close() async { await close(code: .normalClosure, reason: "") }
}

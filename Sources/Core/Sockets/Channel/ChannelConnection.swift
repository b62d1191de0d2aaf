/// The application's end of a ``WebSocketChannel``.
///
/// An object of its own, so that releasing it is noticed while the driver still owns the channel.
final class ChannelConnection: WebSocketConnection {
  private let channel: WebSocketChannel

  init(channel: WebSocketChannel) { self.channel = channel }

  deinit { channel.act { core, reaction in core.abandon(&reaction) } }

  var subprotocol: String? { channel.subprotocol }

  // MARK: - Sending

  func send(_ message: WebSocketMessage) async throws {
    try Task.checkCancellation()
    if try channel.offer(message, isAdmitted: false) { return }
    try await channel.awaitRoom()
    defer { channel.act { core, reaction in core.admissionUsed(&reaction) } }
    _ = try channel.offer(message, isAdmitted: true)
  }

  func ping(_ payload: [UInt8]) async throws {
    guard payload.count <= 125 else {
      throw WebSocketError(code: .payloadTooLong, message: "A ping carries at most 125 bytes, not \(payload.count).")
    }
    try Task.checkCancellation()
    if try channel.ping(payload, isAdmitted: false) { return }
    try await channel.awaitRoom()
    defer { channel.act { core, reaction in core.admissionUsed(&reaction) } }
    _ = try channel.ping(payload, isAdmitted: true)
  }

  // MARK: - Receiving

  func receive() async throws -> WebSocketMessage? {
    try Task.checkCancellation()
    return try await channel.receive()
  }

  // MARK: - Closing

  func close(code: WebSocketCloseCode, reason: String) async {
    channel.beginClosing(code: code, reason: reason)
    await channel.awaitEnd()
  }

  var closeCode: WebSocketCloseCode? { channel.act { core, _ in core.closing.code } }
  var closeReason: String? { channel.act { core, _ in core.closing.reason } }
}

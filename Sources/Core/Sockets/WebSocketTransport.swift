public import SwiftwaterHTTP

/// Opens WebSockets. The seam behind which networking lies.
///
/// An implementation returns when the opening handshake is done. When the calling task is cancelled it throws
/// `CancellationError` at once and leaves nothing behind.
public protocol WebSocketTransport: Sendable {
  /// Opens a WebSocket.
  ///
  /// - Parameters:
  ///   - request: Where to, with scheme `ws` or `wss` (`http` and `https` mean the same), method `GET` and any header
  ///     fields but those of the handshake. Its `timeout` limits the opening as a whole.
  ///   - protocols: Subprotocols in order of preference.
  ///   - configuration: Limits, deadlines and compression.
  /// - Throws: ``WebSocketError``: `refused` with the server's status, `connectionFailed`, `timeout`, `invalidRequest`
  ///   or `invalidHandshake`.
  func connect(
    _ request: HTTPRequest, protocols: [String], configuration: WebSocketConfiguration
  ) async throws -> any WebSocketConnection
}

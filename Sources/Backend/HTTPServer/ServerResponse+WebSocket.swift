public import SwiftwaterHTTP
public import SwiftwaterSockets

extension ServerResponse {
  /// Opens a WebSocket (RFC 6455), if the request asks for one; otherwise the client is told what is missing.
  ///
  /// ```swift
  /// router.get("/echo") { request in
  ///   .webSocket { connection in
  ///     for try await message in connection.messages { try await connection.send(message) }
  ///   }
  /// }
  /// ```
  ///
  /// `handler` runs in the task that answers the request. When it returns, the connection is closed with 1000, when it
  /// throws with 1011. The task is cancelled when the client is gone, and five seconds after a closing handshake, which
  /// leaves time for what has been received. A server that stops closes with 1001.
  ///
  /// Browsers let every page connect: look at the request's `Origin` if the client's cookies or its network mean
  /// anything.
  ///
  /// - Parameters:
  ///   - protocols: the subprotocols that are spoken. The first of the client's that is among them is agreed on; the
  ///     connection has none when there is no such.
  ///   - configuration: limits, deadlines and compression.
  ///   - headerFields: fields of the response besides those of the handshake.
  ///   - handler: sends and receives.
  public static func webSocket(
    protocols: [String] = [], configuration: WebSocketConfiguration = WebSocketConfiguration(),
    headerFields: HTTPFields = HTTPFields(),
    _ handler: @escaping @Sendable (_ connection: any WebSocketConnection) async throws -> Void
  ) -> ServerResponse {
    var response = ServerResponse(status: 101, headerFields: headerFields)
    response.upgrade = Upgrade(protocols: protocols, configuration: configuration, handler: handler)
    return response
  }

  /// What a connection becomes.
  struct Upgrade: Sendable {
    let protocols: [String]
    let configuration: WebSocketConfiguration
    let handler: @Sendable (any WebSocketConnection) async throws -> Void
  }
}

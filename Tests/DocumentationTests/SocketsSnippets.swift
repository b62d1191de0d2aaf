import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterSockets
import SwiftwaterStreams
import TestSupport
import Testing

func echo(_ connection: any WebSocketConnection) async throws {
  for try await message in connection.messages {
    try await connection.send(message)
  }
}

@Suite("Snippets of the sockets' page")
struct SocketsSnippets {
  /// Compiled only: it speaks to the world. The same lines are run below, without it.
  func page() async throws {
    let transport = CurlTransport.shared
    var configuration = WebSocketConfiguration()
    configuration.maximumMessageBytes = 1 << 20
    configuration.compression = .init()

    let request = HTTPRequest(method: .get, scheme: "wss", authority: "example.com", path: "/chat")
    let connection = try await transport.connect(request, protocols: ["chat.v2"], configuration: configuration)
    try await connection.send("hello")
    if let reply = try await connection.receive() { print(reply) }
    await connection.close()
  }

  @Test("A connection is opened, used and closed")
  func connection() async throws {
    let transport = Parrot()
    var configuration = WebSocketConfiguration()
    configuration.maximumMessageBytes = 1 << 20
    configuration.compression = .init()

    let request = HTTPRequest(method: .get, scheme: "wss", authority: "example.com", path: "/chat")
    let connection = try await transport.connect(request, protocols: ["chat.v2"], configuration: configuration)
    try await connection.send("hello")
    if let reply = try await connection.receive() { print(reply) }
    await connection.close()
    #expect(connection.subprotocol == "chat.v2")
    #expect(connection.closeCode == .normalClosure)
  }

  @Test("A handler echoes until the end")
  func echoes() async throws {
    let connection = try await Parrot().connect(
      HTTPRequest(method: .get), protocols: [], configuration: WebSocketConfiguration())
    try await connection.send("once")
    let task = Task { try await echo(connection) }
    await connection.close()
    try await task.value
  }

  @Test("A socket stays connected until it is told to close", .timeLimit(.minutes(1)))
  func reconnecting() async throws {
    let transport = Parrot()
    let request = HTTPRequest(method: .get, scheme: "wss", authority: "example.com", path: "/chat")
    var settings = ReconnectingSocketConfiguration()
    settings.heartbeat = .init(interval: .seconds(25), timeout: .seconds(10)) { number in
      .text(#"{"event":"heartbeat","ref":"\#(number)"}"#)
    }
    let socket = ReconnectingSocket(transport: transport, configuration: settings) { request }
    let messages = socket.messages().subscribe()
    socket.connect()
    // The snippet's loop ends when the socket is released or the task cancelled.
    let consumer = Task {
      while let message = await messages.next() { print(message) }
    }
    #expect(await eventually { if case .open? = socket.status.latest { true } else { false } })
    socket.disconnect()
    consumer.cancel()
    await consumer.value
  }
}

/// A transport whose connections say again what they are told.
private struct Parrot: WebSocketTransport {
  func connect(
    _ request: HTTPRequest, protocols: [String], configuration: WebSocketConfiguration
  ) async throws -> any WebSocketConnection {
    ParrotConnection(subprotocol: protocols.first)
  }
}

private final class ParrotConnection: WebSocketConnection {
  let subprotocol: String?
  private let (stream, continuation) = AsyncStream.makeStream(of: WebSocketMessage.self)
  private let state = LockIsolated<WebSocketCloseCode?>(nil)

  init(subprotocol: String?) { self.subprotocol = subprotocol }

  var closeCode: WebSocketCloseCode? { state.value }
  var closeReason: String? { nil }

  func send(_ message: WebSocketMessage) async throws { continuation.yield(message) }

  func receive() async throws -> WebSocketMessage? {
    for await message in stream { return message }
    try Task.checkCancellation()
    return nil
  }

  func ping(_ payload: [UInt8]) async throws {}

  func close(code: WebSocketCloseCode, reason: String) async {
    state.withLock { $0 = $0 ?? code }
    continuation.finish()
  }
}

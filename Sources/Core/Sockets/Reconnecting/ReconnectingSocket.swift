public import SwiftwaterHTTP
public import SwiftwaterStreams

/// A WebSocket that is opened again whenever it is lost, for as long as it is wanted.
///
/// ```swift
/// let socket = ReconnectingSocket(transport: transport) { request }
/// socket.connect()
/// for await message in socket.messages() { print(message) }
/// ```
///
/// - What the user wants is final: after ``disconnect()`` nothing reconnects, whatever was under way.
/// - Messages that were sent before a loss may not have arrived; what has to be repeated on a new connection is known to
///   the protocol above, which follows ``status``.
/// - Threading: every member may be called from any thread. Releasing the socket disconnects it.
public final class ReconnectingSocket: Sendable {
  private let core: ReconnectingSocketCore

  /// A socket that is idle.
  ///
  /// - Parameters:
  ///   - transport: Opens the connections.
  ///   - configuration: Waiting times, heartbeats, and what is final.
  ///   - clock: Measures waiting times and heartbeats.
  ///   - random: Numbers from 0 to 1 for the waiting times.
  ///   - request: Where to; asked before every attempt, so that it can carry fresh credentials. An error it throws
  ///     counts as a failed attempt.
  public init(
    transport: any WebSocketTransport, configuration: ReconnectingSocketConfiguration = .init(),
    clock: any Clock<Duration> = ContinuousClock(),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    request: @escaping @Sendable () async throws -> HTTPRequest
  ) {
    core = ReconnectingSocketCore(
      transport: transport, configuration: configuration, clock: clock, random: random, request: request)
  }

  deinit { core.shutDown() }

  /// What the socket is doing: the latest status and every change that a consumer has time for.
  public var status: StateStream<ReconnectingSocketStatus, Never> { core.status.values }

  /// The messages that arrive from now on, over all connections. Each iteration is a consumer of its own.
  ///
  /// - Parameter bufferingPolicy: What happens to messages a consumer has not taken yet. By default the server is held
  ///   back while 256 wait.
  public func messages(
    bufferingPolicy: EventBufferingPolicy = .suspending(256)
  ) -> EventStream<WebSocketMessage, Never> {
    core.messages.events(bufferingPolicy: bufferingPolicy)
  }

  /// Opens a connection and keeps it open. Does nothing while it does so already; a waiting time is cut short.
  public func connect() { core.perform { $0.connect() } }

  /// Closes the connection, and opens no other one before the next ``connect()``.
  public func disconnect() { core.perform { $0.disconnect() } }

  /// Tells that the device has changed its network: a waiting time is cut short, an attempt that is under way begins
  /// anew, and an open connection is tested with a heartbeat.
  public func networkChanged() { core.perform { $0.networkChanged() } }

  /// Sends a message on the connection that is open; see ``WebSocketConnection/send(_:)-(WebSocketMessage)``.
  ///
  /// - Throws: ``WebSocketError`` with code `closed` while none is open.
  public func send(_ message: WebSocketMessage) async throws {
    guard let connection = core.connection else {
      throw WebSocketError(code: .closed, message: "The socket is not open; wait for its status to be open.")
    }
    try await connection.send(message)
  }
}

internal import SwiftwaterHTTP
internal import SwiftwaterSockets
internal import SwiftwaterStreams

/// One WebSocket as every thread but the engine's sees it: the task that opens it, and then its channel.
final class WebSocketClientLink: WebSocketLink {
  private struct State {
    var waiter: CheckedContinuation<any WebSocketConnection, any Error>?
    /// The opening's outcome is known, or nobody wants it any more.
    var isSettled = false
  }

  let handshake: WebSocketClientHandshake
  let configuration: WebSocketConfiguration
  private let engine: WebSocketEngine
  /// Keeps the engine going as long as the socket is open.
  private let transport: CurlTransport
  private let state = LockIsolated(State())

  init(
    handshake: WebSocketClientHandshake, configuration: WebSocketConfiguration, engine: WebSocketEngine,
    transport: CurlTransport
  ) {
    self.handshake = handshake
    self.configuration = configuration
    self.engine = engine
    self.transport = transport
  }

  /// Opens the socket and returns the application's end of it.
  func open() async throws -> any WebSocketConnection {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if !state.isSettled { state.waiter = continuation }
          return state.isSettled
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        engine.submit(.open(self))
      }
    } onCancel: {
      settle(with: .failure(CancellationError()))
      engine.submit(.close(self))
    }
  }

  /// Whether nobody waits for the opening any more.
  var isSettled: Bool { state.withLock { $0.isSettled } }

  /// The handshake is done. A connection that nobody waits for is released, and so closed.
  func succeed(with connection: any WebSocketConnection) { settle(with: .success(connection)) }

  /// The opening has failed.
  func fail(_ error: WebSocketError) { settle(with: .failure(error)) }

  private func settle(with result: Result<any WebSocketConnection, any Error>) {
    let waiter = state.withLock { state in
      defer { state = State(waiter: nil, isSettled: true) }
      return state.waiter
    }
    waiter?.resume(with: result)
  }

  // MARK: - The channel's wishes

  func outputIsReady() { engine.submit(.write(self)) }
  func resumeReading() { engine.submit(.read(self)) }
  /// Only servers are asked.
  func finishWriting() {}
  func closeLink() { engine.submit(.close(self)) }
}

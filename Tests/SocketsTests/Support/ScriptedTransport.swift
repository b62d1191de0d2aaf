import SwiftwaterHTTP
import SwiftwaterSockets
import SwiftwaterStreams
import TestSupport

/// A transport whose attempts a test lets succeed or fail.
final class ScriptedTransport: WebSocketTransport {
  private struct Attempt: Sendable {
    let id: Int
    let request: HTTPRequest
    let protocols: [String]
    let continuation: CheckedContinuation<any WebSocketConnection, any Error>
  }

  private struct State {
    var attempts: [Attempt] = []
    var count = 0
    var wires: [MemoryWire] = []
  }

  private let state = LockIsolated(State())

  /// Attempts that have been begun so far.
  var count: Int { state.withLock { $0.count } }
  /// Attempts that wait for the test's decision.
  var waitingCount: Int { state.withLock { $0.attempts.count } }

  func connect(
    _ request: HTTPRequest, protocols: [String], configuration: WebSocketConfiguration
  ) async throws -> any WebSocketConnection {
    let id = state.withLock { state in
      state.count += 1
      return state.count
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let attempt = Attempt(id: id, request: request, protocols: protocols, continuation: continuation)
        state.withLock { $0.attempts.append(attempt) }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    let attempt = state.withLock { state in
      state.attempts.firstIndex { $0.id == id }.map { state.attempts.remove(at: $0) }
    }
    attempt?.continuation.resume(throwing: CancellationError())
  }

  /// Waits for an attempt and takes it; nil when there is none in a long while.
  private func next() async -> Attempt? {
    guard await eventually({ self.waitingCount > 0 }) else { return nil }
    return state.withLock { $0.attempts.isEmpty ? nil : $0.attempts.removeFirst() }
  }

  /// Lets the next attempt fail; returns its request.
  @discardableResult
  func fail(_ error: any Error = WebSocketError(code: .connectionFailed, message: "")) async -> HTTPRequest? {
    let attempt = await next()
    attempt?.continuation.resume(throwing: error)
    return attempt?.request
  }

  /// Lets the next attempt succeed; returns the server's end.
  func open() async -> (wire: MemoryWire, server: any WebSocketConnection)? {
    guard let attempt = await next() else { return nil }
    let wire = MemoryWire(agreement: WebSocketAgreement(subprotocol: attempt.protocols.first))
    state.withLock { $0.wires.append(wire) }
    attempt.continuation.resume(returning: wire.client.makeConnection())
    return (wire, wire.server.makeConnection())
  }

  /// Breaks all connections; the end of a test.
  func tearDown() {
    for wire in state.withLock({ $0.wires }) { wire.tearDown() }
  }
}

internal import SwiftwaterEventLoop
internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// One client's connection: the loop's thread reads it, one task answers its requests in order.
///
/// Everything that changes is in `State`, behind one lock. What must not happen under the lock (resuming, cancelling,
/// telling the server) is collected in `Effects`. The task sends from its own thread; only what the socket does not
/// take at once is left to the loop.
final class Connection: EventHandler {
  /// What the task does next.
  enum Work: Sendable {
    case request(ServerRequest, RequestTraits)
    case refusal(HTTPServerError)
  }

  /// More unsent bytes than this make a response's stream wait; it goes on below half.
  static let outputCapacity = 256 * 1024
  private static let readSize = 64 * 1024

  let engine: ServerEngine
  let peer: PeerAddress
  private let state: LockIsolated<State>

  /// Takes over an accepted socket.
  init(_ socket: Socket, peer: PeerAddress, loop: EventLoop, engine: ServerEngine) {
    self.engine = engine
    self.peer = peer
    let configuration = engine.configuration
    state = LockIsolated(
      State(
        socket: socket, loop: loop,
        parser: RequestParser(
          maximumHeadBytes: configuration.maximumHeadBytes,
          maximumBodyBytes: configuration.maximumBodyBytes.map(Int64.init)),
        machine: ConnectionStateMachine(now: .now, beginsWithHandshake: socket.tls != nil)))
  }

  /// Begins to read and to answer.
  func start() {
    // Under the lock, so that no event is handled before its registration is known.
    locked { state, effects in state.register(self, &effects) }
    let task = Task { await run() }
    locked { state, effects in
      if state.machine.isClosed { effects.cancelled = task } else { state.task = task }
    }
  }

  // MARK: - The loop's thread

  func ready(_ events: EventInterest) {
    if !events.contains(.readable) {
      let isDone = locked { state, effects in
        guard !state.socket.waitsToWrite else { return false }
        state.flush(&effects)
        state.settle(self, &effects)
        return true
      }
      if isDone { return }
    }
    withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
      locked { state, effects in
        // A connection that has hung up is always ready: if it is not to be read, this is the end of it.
        if events.contains(.hungUp), !state.interest.contains(.readable) { state.close(&effects) }
        if events.contains(.writable) { state.flush(&effects) }
        state.receive(into: buffer, for: self, &effects)
        state.settle(self, &effects)
      }
    }
  }

  func tick(_ now: ContinuousClock.Instant) {
    locked { state, effects in state.tick(now, for: self, &effects) }
  }

  // MARK: - The server

  /// Closes the connection if it is idle, and otherwise after the response under way.
  func stop() {
    locked { state, effects in state.stop(&effects) }
  }

  /// Closes the connection and cancels its handler.
  ///
  /// - Parameter reset: whether the peer must not take what it has got for the whole.
  func abort(reset: Bool = false) {
    locked { state, effects in state.close(&effects, reset: reset) }
  }

  /// Cancels the handler, whose connection has been closed.
  func cancel() {
    locked { state, effects in effects.cancelled = state.task }
  }

  // MARK: - The task

  private func run() async {
    while let work = await nextWork() { await perform(work) }
    locked { state, effects in
      state.isFinished = true
      effects.isGone = state.machine.isClosed
    }
  }

  /// The next request, nil when there will be none.
  private func nextWork() async -> Work? {
    await withCheckedContinuation { worker in
      let next: Work?? = locked { state, _ in
        if let work = state.work {
          state.work = nil
          return work
        }
        guard state.machine.expectsRequests else { return .some(nil) }
        state.worker = worker
        return nil
      }
      if let next { worker.resume(returning: next) }
    }
  }

  private func perform(_ work: Work) async {
    let log = engine.configuration.accessLog.map { log in (log, ContinuousClock.now) }
    let status: HTTPResponse.Status?
    switch work {
    case .refusal(let error):
      status = await respond(engine.configuration.errorResponse(error.status, error.message), to: RequestTraits())
    case .request(let request, let traits):
      let response = await answer(request)
      if let response, let upgrade = response.upgrade {
        status = await open(upgrade, response.head.headerFields, for: request, traits)
      } else if let response {
        status = await respond(response, to: traits)
      } else {
        status = nil
        abort()
      }
    }
    if let (log, start) = log { log(entry(for: work, status, since: start)) }
  }

  /// What the handler answers, or what stands for its error; nil when nobody waits for an answer.
  private func answer(_ request: ServerRequest) async -> ServerResponse? {
    do {
      return try await engine.handler(request)
    } catch {
      return try? ServerResponse.answer(to: error, errorResponse: engine.configuration.errorResponse)
    }
  }

  // MARK: - The body's reader

  /// A request's body is wanted: read on, or ask the client to send it.
  func demand(_ body: BodyChannel) {
    locked { state, effects in
      guard state.body === body else { return }
      if state.machine.bodyDemanded(at: .now) { state.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), &effects) }
      state.process(for: self, &effects)
      state.settle(self, &effects)
    }
  }

  // MARK: - Locking

  func locked<Result: Sendable>(_ body: (inout State, inout Effects) -> Result) -> Result {
    var effects = Effects()
    let result = state.withLock { state in body(&state, &effects) }
    effects.perform(for: self)
    return result
  }
}

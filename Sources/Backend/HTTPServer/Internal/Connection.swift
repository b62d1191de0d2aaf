internal import SwiftwaterEventLoop
internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// One client's connection: the loop's thread reads it, one task answers its requests in order.
///
/// Everything that changes is in `State`, behind one lock. What must not happen under the lock (resuming, cancelling,
/// telling the server) is collected in `Effects`. The task sends from its own thread; only what the socket does not
/// take at once is left to the loop.
final class Connection: EventHandler {
  /// What the task does next. An object, which costs each of the waiting functions a pointer only.
  final class Job: Sendable {
    /// Nil where there is something to refuse only.
    let request: ServerRequest?
    let traits: RequestTraits
    let refusal: HTTPServerError?

    init(_ request: ServerRequest, _ traits: RequestTraits) {
      self.request = request
      self.traits = traits
      refusal = nil
    }

    init(refusing error: HTTPServerError) {
      request = nil
      traits = RequestTraits()
      refusal = error
    }
  }

  /// More unsent bytes than this make a response's stream wait; it goes on below half.
  static let outputCapacity = 256 * 1024

  let engine: ServerEngine
  let peer: PeerAddress
  private let readBuffer: ReadBuffer
  private let state: LockIsolated<State>

  /// Takes over an accepted socket.
  init(_ socket: Socket, peer: PeerAddress, loop: EventLoop, readBuffer: ReadBuffer, engine: ServerEngine) {
    self.engine = engine
    self.readBuffer = readBuffer
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
    let task = Task(executorPreference: engine.executor) { await self.run() }
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
    locked { state, effects in
      // A connection that has hung up is always ready: if it is not to be read, this is the end of it.
      if events.contains(.hungUp), !state.interest.contains(.readable) { state.close(&effects) }
      if events.contains(.writable) { state.flush(&effects) }
      state.receive(into: readBuffer.bytes, for: self, &effects)
      state.settle(self, &effects)
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

  // What a function needs on both sides of an `await` lies on the heap for as long as the connection lives, so the
  // steps between are functions of their own that are not inlined.

  private func run() async {
    while let job = await nextJob() { await perform(job) }
    locked { state, effects in
      state.isFinished = true
      effects.isGone = state.machine.isClosed
    }
  }

  /// The next request, nil when there will be none.
  private func nextJob() async -> Job? {
    await withCheckedContinuation { worker in
      let next: Job?? = locked { state, _ in
        if let job = state.job {
          state.job = nil
          return job
        }
        guard state.machine.expectsRequests else { return .some(nil) }
        state.worker = worker
        return nil
      }
      if let next { worker.resume(returning: next) }
    }
  }

  @inline(never)
  private func perform(_ job: Job) async {
    let start: ContinuousClock.Instant? = engine.configuration.accessLog == nil ? nil : .now
    let status: HTTPResponse.Status?
    switch await answer(job) {
    case .nothing(let sent): status = sent
    case .stream(let writer): status = await sendStream(writer)
    case .webSocket(let socket): status = await run(socket)
    }
    if let start { log(job, status, since: start) }
  }

  /// Lets the handler answer and begins to send what it says.
  @inline(never)
  private func answer(_ job: Job) async -> Remainder {
    guard let request = job.request else { return begin(nil, for: job) }
    do {
      return begin(try await engine.handler(request), for: job)
    } catch {
      return begin(error, for: job)
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

  @inline(never)
  func locked<Result: Sendable>(_ body: (inout State, inout Effects) -> Result) -> Result {
    var effects = Effects()
    let result = state.withLock { state in body(&state, &effects) }
    effects.perform(for: self)
    return result
  }
}

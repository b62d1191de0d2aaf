internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Carries out what a ``ReconnectingSocketMachine`` decides.
///
/// It owns the tasks, which keep it alive; the public object, which they do not keep, ends it.
final class ReconnectingSocketCore: Sendable {
  typealias Machine = ReconnectingSocketMachine

  let status = StateSource<ReconnectingSocketStatus, Never>(.idle)
  let messages = EventSource<WebSocketMessage, Never>()
  private let transport: any WebSocketTransport
  private let configuration: ReconnectingSocketConfiguration
  private let clock: any Clock<Duration>
  private let random: @Sendable () -> Double
  private let request: @Sendable () async throws -> HTTPRequest
  private let state: LockIsolated<State>

  init(
    transport: any WebSocketTransport, configuration: ReconnectingSocketConfiguration, clock: any Clock<Duration>,
    random: @escaping @Sendable () -> Double, request: @escaping @Sendable () async throws -> HTTPRequest
  ) {
    self.transport = transport
    self.configuration = configuration
    self.clock = clock
    self.random = random
    self.request = request
    let rhythm = configuration.heartbeat.map { (interval: $0.interval, timeout: $0.timeout) }
    state = LockIsolated(State(machine: Machine(backoff: configuration.backoff, rhythm: rhythm)))
  }

  /// The connection that is open.
  var connection: (any WebSocketConnection)? { state.withLock { $0.connection } }

  /// Ends everything, the sequences too.
  func shutDown() {
    perform { $0.disconnect() }
    status.finish()
    messages.finish()
  }

  /// Lets the machine decide and does what it says.
  func perform(_ decide: (inout Machine) -> Machine.Actions?) { carryOut(decide: decide, opened: nil) }

  /// Returns whether the machine had anything to decide.
  @discardableResult
  private func carryOut(
    decide: (inout Machine) -> Machine.Actions?, opened connection: (any WebSocketConnection)?
  ) -> Bool {
    let (actions, obsolete) = locked { $0.change(decide, opened: connection) }
    obsolete.attempt?.cancel()
    obsolete.timer?.cancel()
    guard let actions else { return false }
    if case .start(let id, let duration) = actions.timer { startTimer(id, duration, heartbeat: actions.heartbeat) }
    if let attempt = actions.connect { start(attempt) }
    if actions.publishes { publish() }
    return true
  }

  private func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  /// Tells the status in the order of its changes, whatever threads make them.
  private func publish() {
    var isFirst = true
    while let status = state.withLock({ $0.takeStatus(isFirst: isFirst) }) {
      isFirst = false
      self.status.send(status)
    }
  }

  // MARK: - Attempts

  private func start(_ attempt: Int) {
    let task = Task { await run(attempt) }
    // It may have been given up meanwhile.
    if !state.withLock({ $0.keep(task, of: attempt) }) { task.cancel() }
  }

  private func run(_ attempt: Int) async {
    let failure: any Error
    do {
      let connection = try await transport.connect(
        try await request(), protocols: configuration.protocols, configuration: configuration.webSocket)
      failure = await use(connection, of: attempt)
      // When this task is cancelled, this says good-bye without waiting for an answer.
      await connection.close()
    } catch {
      failure = error
    }
    let (isFinal, random) = (configuration.isFinal(failure), random())
    perform { $0.ended(attempt, error: failure, isFinal: isFinal, random: random) }
  }

  /// Receives until the connection ends, and returns why it did.
  private func use(_ connection: any WebSocketConnection, of attempt: Int) async -> any Error {
    guard carryOut(decide: { $0.opened(attempt) }, opened: connection) else { return CancellationError() }
    do {
      while let message = try await connection.receive() {
        received(message, on: attempt)
        try await messages.send(suspendingUntilBuffered: message)
        state.withLock { $0.machine.delivered(on: attempt) }
      }
    } catch { return error }
    return WebSocketError.closedByPeer(connection.closeCode, reason: connection.closeReason)
  }

  private func received(_ message: WebSocketMessage, on attempt: Int) {
    var isReply = false
    if let heartbeat = configuration.heartbeat {
      isReply = heartbeat.isReply(message, state.withLock { $0.machine.heartbeat })
    }
    perform { $0.received(on: attempt, isReply: isReply) }
  }

  // MARK: - Timers

  private func startTimer(_ id: Int, _ duration: Duration, heartbeat: Int?) {
    let task = Task {
      // A heartbeat for which there is no room is not answered either; the deadline does not wait for it.
      async let sent: Void = sendHeartbeat(heartbeat)
      do { try await clock.sleep(for: duration) } catch { return }
      let random = random()
      perform { $0.timerFired(id, random: random) }
      await sent
    }
    if !state.withLock({ $0.keep(task, timer: id) }) { task.cancel() }
  }

  private func sendHeartbeat(_ number: Int?) async {
    guard let number, let connection, let heartbeat = configuration.heartbeat else { return }
    try? await connection.send(heartbeat.message(number))
  }
}

extension ReconnectingSocketCore {
  private struct State {
    var machine: Machine
    var connection: (any WebSocketConnection)?
    private var attempt: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    /// Somebody tells the status; whoever changes it meanwhile leaves it to them.
    private var isPublishing = false
    private var isUnpublished = false

    init(machine: Machine) { self.machine = machine }

    /// What is not needed any more, to be dealt with outside of the lock.
    struct Obsolete: Sendable {
      var attempt: Task<Void, Never>?
      var timer: Task<Void, Never>?
      var connection: (any WebSocketConnection)?
      /// It may hold the last reference to an error.
      var status: ReconnectingSocketStatus
    }

    mutating func change(
      _ decide: (inout Machine) -> Machine.Actions?, opened: (any WebSocketConnection)?
    ) -> (Machine.Actions?, Obsolete) {
      var obsolete = Obsolete(status: machine.status)
      let actions = decide(&machine)
      guard let actions else { return (nil, obsolete) }
      if let opened {
        connection = opened
      } else if !machine.isCurrent(machine.attempt) || actions.connect != nil {
        swap(&obsolete.connection, &connection)
        swap(&obsolete.attempt, &attempt)
      }
      if actions.timer != .none { swap(&obsolete.timer, &timer) }
      return (actions, obsolete)
    }

    mutating func keep(_ task: Task<Void, Never>, of number: Int) -> Bool {
      guard machine.attempt == number, machine.isCurrent(number) else { return false }
      attempt = task
      return true
    }

    mutating func keep(_ task: Task<Void, Never>, timer id: Int) -> Bool {
      guard machine.isCurrent(timer: id) else { return false }
      timer = task
      return true
    }

    mutating func takeStatus(isFirst: Bool) -> ReconnectingSocketStatus? {
      if isFirst {
        isUnpublished = true
        guard !isPublishing else { return nil }
      }
      isPublishing = isUnpublished
      guard isUnpublished else { return nil }
      isUnpublished = false
      return machine.status
    }
  }
}

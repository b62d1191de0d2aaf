internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Carries out what a ``CredentialMachine`` decides.
///
/// It owns the tasks, which keep it alive; the public object, which they do not keep, ends it.
final class CredentialCore<Credential: Sendable>: Sendable {
  typealias Machine = CredentialMachine<Credential>
  typealias Actions = Machine.Actions

  let state = StateSource<CredentialState<Credential>, Never>(.unread(nil))
  let events = EventSource<CredentialEvent<Credential>, Never>()
  let scheme: CredentialScheme<Credential>
  let store: any CredentialStore
  let clock: any Clock<Duration>
  let ready: ReadyCredential<Credential>
  /// The turn of flights and updates. Those of other processes are the store's affair.
  let turns = AsyncLock()
  /// The turn of those who write, which nobody holds while he waits for a server.
  let writers = AsyncLock()
  private let logger: ClientLogger
  private let date: @Sendable () -> Date
  private let shared: LockIsolated<Shared>

  init(
    _ scheme: CredentialScheme<Credential>, store: any CredentialStore, configuration: CredentialConfiguration,
    clock: any Clock<Duration>, date: @escaping @Sendable () -> Date
  ) {
    self.scheme = scheme
    self.store = store
    self.clock = clock
    self.date = date
    logger = configuration.logger
    ready = ReadyCredential(clock: clock)
    shared = LockIsolated(Shared(machine: Machine(configuration)))
  }

  // MARK: - Asking

  /// What the machine says of itself at this moment.
  func look<Result: Sendable>(_ read: (Machine) -> Result) -> Result { locked { read($0.machine) } }

  private func locked<Result: Sendable>(_ body: (inout Shared) -> Result) -> Result { shared.withLock { body(&$0) } }

  /// Waits for an answer.
  ///
  /// - Parameter ask: Asks for it, under that number.
  /// - Throws: ``CredentialError``, or `CancellationError` at once when the task is cancelled.
  func wait(_ ask: (_ machine: inout Machine, _ waiter: Int, Moment, inout Actions) -> Void) async throws -> Credential?
  {
    let waiter = locked { $0.drawNumber() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        perform { shared, moment, actions in
          guard !Task.isCancelled else { return shared.refuse(continuation) }
          shared.waiting[waiter] = continuation
          ask(&shared.machine, waiter, moment, &actions)
        }
      }
    } onCancel: {
      let continuation = locked { $0.withdraw(waiter) }
      continuation?.resume(throwing: CancellationError())
    }
  }

  // MARK: - Deciding

  /// Lets the machine decide, and does what it says.
  @discardableResult
  func decide<Result: Sendable>(_ decision: (inout Machine, Moment, inout Actions) -> Result) -> Result {
    perform { shared, moment, actions in decision(&shared.machine, moment, &actions) }
  }

  @discardableResult
  private func perform<Result: Sendable>(
    _ decision: (inout Shared, Moment, inout Actions) -> Result
  ) -> Result {
    let moment = Moment(elapsed: ready.elapsed(), date: date())
    let (result, work) = locked { $0.change(at: moment, ready: ready, decision) }
    work.obsoleteFlight?.cancel()
    work.obsoleteTimer?.cancel()
    if let flight = work.flight { start(flight) }
    if work.startsWriting { startWriting() }
    if let timer = work.timer { start(timer, delay: timer.at - moment.elapsed) }
    deliver()
    return result
  }

  /// Tells what has happened in the order in which it did, whatever threads it happened on.
  private func deliver() {
    var isFirst = true
    while let letters = locked({ $0.takeLetters(isFirst: isFirst) }) {
      isFirst = false
      for letter in letters {
        switch letter {
        case .state(let state): self.state.send(state)
        case .event(let event):
          log(event)
          events.send(event)
        case .answer(let continuation, let result): continuation.resume(with: result)
        }
      }
    }
  }

  private func log(_ event: CredentialEvent<Credential>) {
    switch event {
    case .ended(let end): logger.log(.notice, "credential ended", metadata: ["reason": "\(end)"])
    case .refreshFailed(let error): logger.log(.warning, "credential not renewed", metadata: ["error": "\(error)"])
    case .storeFailed(let error): logger.log(.error, "credential store failed", metadata: ["error": "\(error)"])
    case .loaded, .set, .refreshed, .updated, .adopted:
      logger.log(.debug, "credential changed", metadata: ["event": "\(event)"])
    }
  }

  // MARK: - Tasks

  /// Nothing new is begun, and the sequences end. What may have spent something is finished and stored.
  func retire() {
    decide { machine, moment, actions in machine.retire(at: moment, &actions) }
  }

  func endStreams() {
    state.finish()
    events.finish()
  }

  private func start(_ flight: Int) {
    // Waiters do not own it: it ends for all of them, or when it is not wanted any more.
    let task = Task(name: "swiftwater.sessions.refresh") { await fly(flight) }
    if !locked({ $0.keep(task, flight: flight) }) { task.cancel() }
  }

  private func startWriting() {
    // Nobody cancels it, since what a caller was told is stored; it ends with what there is to write.
    _ = Task(name: "swiftwater.sessions.save") { await writeUnsaved() }
  }

  private func start(_ timer: Shared.Timer, delay: Duration) {
    let task = Task(name: "swiftwater.sessions.timer") {
      do { try await clock.sleep(for: delay) } catch { return }
      perform { shared, _, _ in shared.timerFired(timer) }
    }
    if !locked({ $0.keep(task, timer: timer) }) { task.cancel() }
  }
}

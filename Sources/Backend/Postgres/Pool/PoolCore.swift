internal import SwiftwaterEventLoop
internal import SwiftwaterStreams

/// The part of a pool that lives on the loop's thread. Callers leave batches in the inbox and wake the loop.
// @unchecked: everything but the constants and the inbox is touched on the loop's thread only.
final class PoolCore: @unchecked Sendable {
  typealias ID = PoolScheduler<Batch>.ID

  private struct Inbox {
    var batches: [Batch] = []
    var scripts: [Script] = []
    var isClosing = false
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  let configuration: PostgresPool.Configuration
  let loop: EventLoop
  private let inbox = LockIsolated(Inbox())
  private var scheduler: PoolScheduler<Batch>
  private var connections: [ID: PoolConnection] = [:]
  private var scripts: [ObjectIdentifier: ScriptRun] = [:]
  private var closeDeadline: ContinuousClock.Instant?
  private var isPumping = false
  /// When a later look at what waits has been asked for.
  private var nextLook: ContinuousClock.Instant?
  private var abandonedCount = 0

  init(_ configuration: PostgresPool.Configuration) throws(PostgresError) {
    self.configuration = configuration
    do throws(SystemError) {
      if let shared = configuration.sharedLoop { loop = shared } else { loop = try EventLoop(name: "postgres") }
    } catch {
      throw PostgresError(.unavailable, "\(error)")
    }
    scheduler = PoolScheduler(
      maximumConnections: max(1, configuration.maximumConnections),
      briskConnections: configuration.briskConnections.map { max(1, $0) })
  }

  // MARK: From any thread

  func submit(_ batch: Batch) {
    let (isAccepted, isFirst) = inbox.withLock { inbox in
      if inbox.isClosing { return (false, false) }
      inbox.batches.append(batch)
      return (true, inbox.batches.count == 1)
    }
    if !isAccepted { batch.finish(.failure(PostgresError.closed)) }
    // A task on the loop itself need not wait for the next round. (No job runs inside of `pump`.)
    if loop.isCurrent { pump() } else if isFirst { loop.perform { self.pump() } }
  }

  func submit(_ script: Script) {
    let isAccepted = inbox.withLock { inbox in
      if !inbox.isClosing { inbox.scripts.append(script) }
      return !inbox.isClosing
    }
    if isAccepted { loop.perform { self.pump() } } else { script.completion.finish(.failure(PostgresError.closed)) }
  }

  func abandon(_ batch: Batch) {
    loop.perform { self.abandoned(batch) }
  }

  /// Whoever takes the batch's rows has room for more.
  func drained(_ batch: Batch) {
    loop.perform { if let id = batch.connection { self.connections[id]?.resumeRows() } }
  }

  func abandon(_ script: Script) {
    loop.perform { self.scripts[ObjectIdentifier(script)]?.cancel() }
  }

  func cancelEnded(on id: ID) {
    loop.perform {
      self.connections[id]?.cancelEnded()
      self.pump()
    }
  }

  func cancelEnded(of script: Script) {
    loop.perform { self.scripts[ObjectIdentifier(script)]?.end(.failure(CancellationError())) }
  }

  /// Takes no new work, lets what is under way end until the deadline, closes everything and stops the thread.
  func close(by deadline: ContinuousClock.Instant) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isClosed = inbox.withLock { inbox in
          inbox.isClosing = true
          if !inbox.isClosed { inbox.closers.append(continuation) }
          return inbox.isClosed
        }
        if isClosed { return continuation.resume() }
        loop.perform {
          self.closeDeadline = min(deadline, self.closeDeadline ?? deadline)
          self.pump()
        }
      }
    } onCancel: {
      shutDown()
    }
  }

  /// Closes everything at once.
  func shutDown() {
    inbox.withLock { $0.isClosing = true }
    loop.perform { self.finishClosing() }
  }

  // MARK: On the loop's thread

  /// Does whatever can be done now.
  func pump() {
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    let (batches, newScripts) = inbox.withLock { inbox in
      defer { (inbox.batches, inbox.scripts) = ([], []) }
      return (inbox.batches, inbox.scripts)
    }
    let now = ContinuousClock.now
    for batch in batches {
      batch.deadline = now + configuration.acquisitionTimeout
      scheduler.enqueue(batch)
    }
    for script in newScripts { run(script) }
    for id in scheduler.takeOverdue(at: now) {
      for batch in connections[id]?.takeBack().reversed() ?? [] { sendAgain(batch) }
    }
    while let step = scheduler.next(at: now) {
      switch step {
      case .connect(let id): connect(id)
      case .send(let batch, let id): send(batch, on: id)
      }
    }
    lookAgain(now)
    if closeDeadline != nil, scheduler.isIdle, scripts.isEmpty { finishClosing() }
  }

  /// Whatever waits for a brief job gets another connection when the job turns out to be long.
  private func lookAgain(_ now: ContinuousClock.Instant) {
    guard let chance = scheduler.nextChance(at: now), nextLook.map({ chance < $0 }) ?? true else { return }
    nextLook = chance
    loop.perform(at: chance) {
      if self.nextLook == chance { self.nextLook = nil }
      self.pump()
    }
  }

  func connectionOpened(_ id: ID) {
    scheduler.opened(id)
    pump()
  }

  func connectionLost(_ id: ID, _ error: PostgresError) {
    connections[id] = nil
    if error.code == .unavailable {
      for batch in scheduler.connectFailed(id, at: .now) { batch.finish(.failure(error)) }
    } else {
      scheduler.lost(id)
    }
    pump()
  }

  func connection(_ id: ID, isBlocked: Bool) {
    scheduler.setBlocked(id, isBlocked)
  }

  func finished(_ batch: Batch, on id: ID) {
    let wasBrief = scheduler.finished(id, at: .now)
    batch.brevity?.record(wasBrief: wasBrief)
  }

  func sendAgain(_ batch: Batch) {
    batch.deadline = .now + configuration.acquisitionTimeout
    scheduler.requeue(batch)
  }

  func scriptEnded(_ script: Script) {
    scripts[ObjectIdentifier(script)] = nil
    pump()
  }

  func tick(_ now: ContinuousClock.Instant) {
    if let closeDeadline, now >= closeDeadline { return finishClosing() }
    let expired = scheduler.takeWaiting { batch in batch.deadline.map { $0 <= now } ?? false }
    for batch in expired { batch.finish(.failure(PostgresError.exhausted)) }
    // The pool may grow again.
    if scheduler.waitingCount > 0 { pump() }
  }

  private func connect(_ id: ID) {
    do throws(PostgresError) {
      let connection = PoolConnection(id: id, core: self, link: try makeLink())
      // Before it starts, since it may fail at once.
      connections[id] = connection
      connection.start()
    } catch {
      for batch in scheduler.connectFailed(id, at: .now) { batch.finish(.failure(error)) }
    }
  }

  private func send(_ batch: Batch, on id: ID) {
    if batch.completion.isFinished {
      scheduler.finished(id, at: .now)
    } else {
      connections[id]?.send(batch)
    }
  }

  private func run(_ script: Script) {
    guard !script.completion.isFinished else { return }
    do throws(PostgresError) {
      let run = ScriptRun(script, core: self, link: try makeLink())
      scripts[ObjectIdentifier(script)] = run
      run.start()
    } catch {
      script.completion.finish(.failure(error))
    }
  }

  private func makeLink() throws(PostgresError) -> Link {
    try Link(to: configuration.connection, loop: loop, deadline: .now + configuration.connectTimeout)
  }

  private func abandoned(_ batch: Batch) {
    if let id = batch.connection, let connection = connections[id] { connection.cancelIfAbandoned() }
    // Abandoned batches leave the queue when their turn comes, or here when they have become the most of it.
    abandonedCount += 1
    if abandonedCount > 16, abandonedCount > scheduler.waitingCount / 2 {
      scheduler.discard { $0.completion.isFinished }
      abandonedCount = 0
    }
    pump()
  }

  private func finishClosing() {
    let rest = inbox.withLock { inbox in
      defer { inbox = Inbox(isClosing: true, isClosed: true) }
      return inbox
    }
    for batch in rest.batches + scheduler.takeWaiting() { batch.finish(.failure(PostgresError.closed)) }
    for script in rest.scripts { script.completion.finish(.failure(PostgresError.closed)) }
    let open = connections.values
    connections = [:]
    for connection in open { connection.close(.closed) }
    for run in scripts.values { run.end(.failure(PostgresError.closed)) }
    if configuration.sharedLoop == nil { loop.stop() }
    for closer in rest.closers { closer.resume() }
  }
}

extension PostgresError {
  static let closed = PostgresError(.closed, "the connection pool has been closed")
  static let exhausted = PostgresError(.exhausted, "all connections to PostgreSQL are busy; try again later")
}

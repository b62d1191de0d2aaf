internal import CSystem
internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a loop's thread does. It keeps itself alive while it runs, so that nobody has to wait for its end.
final class LoopThread: TaskExecutor {
  private struct State {
    var handlers: [UInt64: any EventHandler] = [:]
    var calls: [@Sendable () -> Void] = []
    /// Calls that have their time; never many.
    var timers: [(deadline: ContinuousClock.Instant, body: @Sendable () -> Void)] = []
    /// Parts of tasks that are ready to run.
    var jobs: [UnownedJob] = []
    var lastToken: UInt64 = 0
    var isStopped = false

    var firstTimer: ContinuousClock.Instant? { timers.isEmpty ? nil : timers.lazy.map(\.deadline).min() }

    /// Something waits for the thread, which therefore has been woken or is awake.
    var isCalled: Bool { !calls.isEmpty || !jobs.isEmpty }
  }

  private static let tickInterval = Duration.milliseconds(250)
  /// How often what a task makes ready is run before descriptors are looked at again.
  private static let maximumRounds = 8

  private let poller: Poller
  private let state = LockIsolated(State())

  init() throws(SystemError) {
    poller = try Poller()
  }

  func start(_ name: String) throws(SystemError) {
    let context = Unmanaged.passRetained(self)
    let error = swiftwater_start_thread(
      name, { Unmanaged<LoopThread>.fromOpaque($0!).takeRetainedValue().run() }, context.toOpaque())
    if error != 0 {
      context.release()
      throw SystemError(operation: "start a thread", number: error)
    }
  }

  // MARK: From any thread

  var isCurrent: Bool { swiftwater_thread_mark() == mark }

  func register(
    _ descriptor: Int32, for interest: EventInterest, handler: any EventHandler
  ) throws(SystemError) -> EventLoop.Registration {
    let token = state.withLock { state in
      state.lastToken += 1
      state.handlers[state.lastToken] = handler
      return state.lastToken
    }
    let registration = EventLoop.Registration(token: token, descriptor: descriptor)
    do throws(SystemError) {
      try poller.add(descriptor, token: token, interest: interest)
    } catch {
      dropHandler(of: registration)
      throw error
    }
    return registration
  }

  func update(_ registration: EventLoop.Registration, to interest: EventInterest) {
    poller.modify(registration.descriptor, token: registration.token, interest: interest)
  }

  func remove(_ registration: EventLoop.Registration) {
    poller.remove(registration.descriptor)
    dropHandler(of: registration)
  }

  func perform(_ body: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      guard !state.isStopped else { return false }
      defer { state.calls.append(body) }
      return !state.isCalled
    }
    // Whoever added what still waits has woken the thread already.
    if isFirst, !isCurrent { poller.wake() }
  }

  func perform(at deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
    let isAccepted = state.withLock { state in
      if !state.isStopped { state.timers.append((deadline, body)) }
      return !state.isStopped
    }
    if isAccepted, !isCurrent { poller.wake() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isAccepted, isFirst) = state.withLock { state in
      guard !state.isStopped else { return (false, false) }
      defer { state.jobs.append(job) }
      return (true, !state.isCalled)
    }
    if !isAccepted { return Self.runElsewhere(job) }
    if isFirst, !isCurrent { poller.wake() }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    poller.wake()
  }

  private func dropHandler(of registration: EventLoop.Registration) {
    // Returned so that the handler is released outside the lock.
    _ = state.withLock { $0.handlers.removeValue(forKey: registration.token) }
  }

  /// A task that prefers a thread which is gone has to come to its end all the same.
  private static func runElsewhere(_ job: UnownedJob) {
    globalConcurrentExecutor.enqueue(ExecutorJob(job))
  }

  // MARK: On the thread

  private var mark: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func run() {
    swiftwater_mark_thread(mark)
    let clock = ContinuousClock()
    var nextTick = clock.now + Self.tickInterval
    while true {
      let (isStopped, isCalled, isIdle, timer) = state.withLock { state in
        (state.isStopped, state.isCalled, state.handlers.isEmpty, state.firstTimer)
      }
      if isStopped { break }
      // An idle loop sleeps until it is woken: no handler, no tick.
      let deadline = isIdle ? timer : min(nextTick, timer ?? nextTick)
      let patience = isCalled ? 0 : deadline.map { Self.milliseconds(until: $0, from: clock.now) } ?? -1
      poller.wait(milliseconds: patience) { token, events in
        state.withLock { $0.handlers[token] }?.ready(events)
      }
      for call in takeCalls() { call() }
      runJobs()
      let now = clock.now
      if let timer, timer <= now { for body in takeTimers(now) { body() } }
      if now >= nextTick {
        nextTick = now + Self.tickInterval
        for handler in state.withLock({ Array($0.handlers.values) }) { handler.tick(now) }
      }
    }
    end()
  }

  private func runJobs() {
    let executor = asUnownedTaskExecutor()
    for _ in 0..<Self.maximumRounds {
      let jobs = takeJobs()
      if jobs.isEmpty { return }
      for job in jobs { job.runSynchronously(on: executor) }
    }
  }

  private func end() {
    // Returned so that they are released outside the lock.
    _ = (takeCalls(), takeTimers(nil))
    for job in takeJobs() { Self.runElsewhere(job) }
    let leftOver = state.withLock { state in
      defer { state.handlers = [:] }
      return state.handlers
    }
    _ = leftOver
  }

  private func takeCalls() -> [@Sendable () -> Void] {
    state.withLock { state in
      defer { state.calls = [] }
      return state.calls
    }
  }

  /// Those that are due, or all.
  private func takeTimers(_ now: ContinuousClock.Instant?) -> [@Sendable () -> Void] {
    state.withLock { state in
      let due = state.timers.filter { timer in now.map { timer.deadline <= $0 } ?? true }
      if !due.isEmpty { state.timers.removeAll { timer in now.map { timer.deadline <= $0 } ?? true } }
      return due.map(\.body)
    }
  }

  private func takeJobs() -> [UnownedJob] {
    state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant, from now: ContinuousClock.Instant) -> Int32
  {
    let remaining = (deadline - now).components
    return Int32(max(0, min(1000, remaining.seconds * 1000 + remaining.attoseconds / 1_000_000_000_000_000 + 1)))
  }
}

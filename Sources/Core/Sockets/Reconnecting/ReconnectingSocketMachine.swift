internal import SwiftwaterHTTP

/// The decisions of a ``ReconnectingSocket``, without I/O and without a clock.
///
/// Every call returns what is to be done. Attempts and timers have numbers, and what comes late from an older one is
/// ignored. What the user wants is final: after `disconnect` nothing reconnects.
struct ReconnectingSocketMachine: Sendable {
  /// What is to be done. What `isCurrent` does not hold for any more is given up in any case.
  struct Actions: Sendable, Equatable {
    /// The attempt to begin.
    var connect: Int?
    var timer = TimerChange.none
    /// The heartbeat to send when the timer starts.
    var heartbeat: Int?
    /// Whether the status has changed.
    var publishes = false
  }

  /// There is one timer at most.
  enum TimerChange: Sendable, Equatable {
    case none
    case stop
    case start(id: Int, Duration)
  }

  private enum Phase {
    case idle
    case connecting
    case open(Heartbeat)
    case waiting(Duration, any Error)
    case closed((any Error)?)
  }

  private enum Heartbeat {
    /// The timer runs to the next one.
    case resting
    /// The timer runs to the deadline of the reply.
    case awaitingReply
  }

  private let backoff: Backoff
  /// The interval and the timeout of heartbeats.
  private let rhythm: (interval: Duration, timeout: Duration)?
  private var phase = Phase.idle
  /// Failures since a connection last worked, its own end among them.
  private var failures = 0
  /// Whether the first of them is the end of a connection that worked, and no attempt.
  private var hasWorked = false
  private var timer = 0
  /// A message waits for consumers who are slow; what is behind it has not been seen.
  private var isDelivering = false
  /// The number of the newest attempt.
  private(set) var attempt = 0
  /// The number of the newest heartbeat on this connection.
  private(set) var heartbeat = 0

  init(
    backoff: Backoff, rhythm: (interval: Duration, timeout: Duration)? = nil
  ) {
    self.backoff = backoff
    self.rhythm = rhythm
  }

  var status: ReconnectingSocketStatus {
    switch phase {
    case .idle: .idle
    case .connecting: .connecting(attempt: hasWorked ? failures : failures + 1)
    case .open: .open
    case .waiting(let delay, let error): .waiting(retryAfter: delay, error: error)
    case .closed(let error): .closed(error: error)
    }
  }

  /// Whether this attempt, or the connection that came of it, is still wanted.
  func isCurrent(_ attempt: Int) -> Bool {
    switch phase {
    case .connecting, .open: attempt == self.attempt
    case .idle, .waiting, .closed: false
    }
  }

  /// Whether this timer is still wanted.
  func isCurrent(timer: Int) -> Bool { timer == self.timer }

  // MARK: - The user

  /// A connection is wanted. Does nothing while there is one, or one is being opened; a waiting time is cut short.
  mutating func connect() -> Actions {
    switch phase {
    case .connecting, .open: return Actions()
    case .idle, .closed:
      failures = 0
      hasWorked = false
      return begin()
    case .waiting: return begin()
    }
  }

  /// No connection is wanted.
  mutating func disconnect() -> Actions {
    switch phase {
    case .closed: return Actions()
    case .idle, .waiting, .connecting, .open: return close(error: nil)
    }
  }

  /// The network is another one: what was in doubt is tried at once.
  mutating func networkChanged() -> Actions {
    switch phase {
    case .idle, .closed: return Actions()
    case .waiting, .connecting: return begin()
    case .open(.resting): return beat()
    case .open(.awaitingReply): return Actions()
    }
  }

  // MARK: - The connection

  /// An attempt has led to a connection. Returns nil if that is not wanted any more.
  mutating func opened(_ attempt: Int) -> Actions? {
    guard attempt == self.attempt, case .connecting = phase else { return nil }
    phase = .open(.resting)
    heartbeat = 0
    isDelivering = false
    var actions = rest()
    actions.publishes = true
    return actions
  }

  /// A message has arrived, so the service works. It goes to the consumers until `delivered`.
  ///
  /// - Parameter isReply: whether it is the reply to the newest heartbeat.
  mutating func received(on attempt: Int, isReply: Bool) -> Actions {
    guard attempt == self.attempt, case .open(let state) = phase else { return Actions() }
    failures = 0
    hasWorked = true
    isDelivering = true
    guard isReply, state == .awaitingReply else { return Actions() }
    phase = .open(.resting)
    return rest()
  }

  /// All consumers have room for the next message.
  mutating func delivered(on attempt: Int) {
    if attempt == self.attempt { isDelivering = false }
  }

  /// An attempt has failed, or its connection has ended.
  ///
  /// - Parameter random: Between 0 and 1, for the waiting time.
  mutating func ended(_ attempt: Int, error: any Error, isFinal: Bool, random: Double) -> Actions {
    guard isCurrent(attempt) else { return Actions() }
    return isFinal ? close(error: error) : wait(error: error, random: random)
  }

  // MARK: - The timer

  /// The timer of that number has run down.
  mutating func timerFired(_ id: Int, random: Double) -> Actions {
    guard isCurrent(timer: id) else { return Actions() }
    switch phase {
    case .waiting: return begin()
    case .open(.resting): return beat()
    case .open(.awaitingReply):
      // The reply may be behind the message that nobody takes: that is no fault of the server.
      if isDelivering, let rhythm { return Actions(timer: startTimer(rhythm.timeout)) }
      let error = WebSocketError(code: .timeout, message: "The server did not answer a heartbeat in time.")
      return wait(error: error, random: random)
    case .idle, .connecting, .closed: return Actions()
    }
  }

  // MARK: - Steps

  private mutating func begin() -> Actions {
    attempt += 1
    phase = .connecting
    return Actions(connect: attempt, timer: stopTimer(), publishes: true)
  }

  private mutating func wait(error: any Error, random: Double) -> Actions {
    failures += 1
    let delay = backoff.delay(afterFailure: failures, draw: random)
    phase = .waiting(delay, error)
    return Actions(timer: startTimer(delay), publishes: true)
  }

  private mutating func close(error: (any Error)?) -> Actions {
    phase = .closed(error)
    return Actions(timer: stopTimer(), publishes: true)
  }

  private mutating func rest() -> Actions {
    guard let rhythm else { return Actions() }
    return Actions(timer: startTimer(rhythm.interval))
  }

  private mutating func beat() -> Actions {
    guard let rhythm else { return Actions() }
    heartbeat += 1
    phase = .open(.awaitingReply)
    return Actions(timer: startTimer(rhythm.timeout), heartbeat: heartbeat)
  }

  private mutating func startTimer(_ duration: Duration) -> TimerChange {
    timer += 1
    return .start(id: timer, duration)
  }

  private mutating func stopTimer() -> TimerChange {
    timer += 1
    return .stop
  }
}

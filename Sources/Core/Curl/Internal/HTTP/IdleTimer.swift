/// Decides when a transfer has been without a byte for too long.
///
/// The time before it has a connection does not count, nor does the time that our own side takes.
struct IdleTimer {
  /// The longest idle time; nil for no limit.
  let timeout: Duration?
  /// Since when nothing has moved; nil before the transfer has a connection.
  private var idleSince: ContinuousClock.Instant?
  /// The reader, or the producer of the request's body, has been asked to go on and has not yet.
  var isHeld = false

  /// Whether the transfer has had a connection, or set one up.
  var hasStarted: Bool { idleSince != nil }

  /// Whether it would not wait longer than the other.
  func isNoMorePatient(than other: IdleTimer) -> Bool {
    guard let timeout, let otherTimeout = other.timeout else { return other.timeout == nil }
    return timeout <= otherTimeout
  }

  init(timeout: Duration?) { self.timeout = timeout }

  /// A byte has moved.
  mutating func noteActivity(at now: ContinuousClock.Instant) { idleSince = now }

  /// The transfer is connecting: from now on the time counts.
  mutating func noteStart(at now: ContinuousClock.Instant) {
    if idleSince == nil { idleSince = now }
  }

  /// When the transfer fails unless something happens before; nil if never. While the time does not count, that is
  /// the earliest moment at which it could.
  func deadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard let timeout else { return nil }
    guard let idleSince, !isHeld else { return now + timeout }
    return idleSince + timeout
  }
}

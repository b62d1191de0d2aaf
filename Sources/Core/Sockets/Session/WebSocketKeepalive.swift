/// Decides when a silent peer is pinged, and when it is given up.
struct WebSocketKeepalive {
  enum Verdict: Equatable {
    case wait(until: ContinuousClock.Instant?)
    case ping(next: ContinuousClock.Instant)
    case fail(silence: Duration)
  }

  private let configuration: WebSocketConfiguration.Keepalive?
  private var lastHeard: ContinuousClock.Instant
  /// When the peer's time to answer began; nil while no ping is out.
  private var pingedAt: ContinuousClock.Instant?
  /// The count of output bytes at which the ping has left the queue.
  private var pingEnd = 0
  private var takenCount = 0

  init(_ configuration: WebSocketConfiguration.Keepalive?, now: ContinuousClock.Instant) {
    self.configuration = configuration
    lastHeard = now
  }

  /// Bytes have arrived.
  mutating func heard(at now: ContinuousClock.Instant) {
    lastHeard = now
    pingedAt = nil
  }

  /// The ping that was asked for is the last in the queue.
  mutating func pingQueued(behind output: WebSocketOutput) { pingEnd = output.takenCount + output.count }

  mutating func tick(
    _ now: ContinuousClock.Instant, isReadingPaused: Bool, output: WebSocketOutput
  ) -> Verdict {
    guard let configuration else { return .wait(until: nil) }
    let hasMoved = output.takenCount != takenCount
    takenCount = output.takenCount
    // Who is not listened to cannot be heard.
    if isReadingPaused { heard(at: now) }
    if let pinged = pingedAt {
      // As long as the network takes what stands before the ping, the peer is alive.
      let start = hasMoved && takenCount < pingEnd ? now : pinged
      pingedAt = start
      let deadline = start + configuration.timeout
      return now < deadline ? .wait(until: deadline) : .fail(silence: now - lastHeard)
    }
    let due = lastHeard + configuration.interval
    guard now >= due else { return .wait(until: due) }
    pingedAt = now
    return .ping(next: now + configuration.timeout)
  }
}

/// Decides when the one listener of a source starts, lingers and stops.
///
/// Lives inside a hub's lock. Whoever changes the demand asks for steps until there is none, performing each outside
/// the lock; while one thread does so, the others leave it to that thread. So start and remove never overlap, and a
/// listener is live at most once. A listener's `epoch` says whether what it sends still counts.
@usableFromInline
struct Upstream: Sendable {
  enum Step: Sendable {
    case start(epoch: Int)
    case remove(any ListenerRegistration)
    case linger(Duration, round: Int)
    case stopLingering(Task<Void, Never>)
  }

  /// Nil for a source that has no upstream.
  let policy: SharingPolicy?
  /// The listener whose sends count; changes whenever one starts, stops or ends.
  @usableFromInline private(set) var epoch = 0

  private var isDriving = false
  private var isAbandoned = false
  /// Whether the listener's stream has ended; then it is only waiting to be removed.
  private var hasEnded = false
  /// The running listener. Nobody but the driving thread asks while it is being attached.
  private var registration: (any ListenerRegistration)?

  private var lingerRound = 0
  private var lingerTask: Task<Void, Never>?
  private var hasLingered = false

  init(policy: SharingPolicy?) {
    self.policy = policy
  }

  /// Whether the next consumer after the listener's own end gets a new listener.
  var restartsAfterEnd: Bool {
    if case .whileObserved = policy { true } else { false }
  }

  /// Claims the loop; false if another thread has it or there is nothing to drive.
  mutating func beginDriving() -> Bool {
    guard policy != nil, !isDriving else { return false }
    isDriving = true
    return true
  }

  /// What to do next, or nil, which ends the loop.
  mutating func nextStep(isObserved: Bool) -> Step? {
    if let step = missingStep(isObserved: isObserved) { return step }
    isDriving = false
    return nil
  }

  private mutating func missingStep(isObserved: Bool) -> Step? {
    guard let registration else { return isObserved ? start() : nil }
    if isObserved, !hasEnded {
      hasLingered = false
      return stopLingering()
    }
    guard mayRunUnobserved else { return stopLingering() ?? stop(registration) }
    guard let policy, policy != .lifetime, lingerTask == nil else { return nil }
    lingerRound += 1
    return .linger(policy.linger, round: lingerRound)
  }

  /// The listener of this epoch is attached.
  mutating func didStart(_ registration: any ListenerRegistration) {
    self.registration = registration
  }

  /// The task that will call ``didLinger(round:)``.
  mutating func didBeginLingering(_ task: Task<Void, Never>) {
    lingerTask = task
  }

  /// The lingering time is over. An outdated round has no effect.
  mutating func didLinger(round: Int) {
    guard round == lingerRound else { return }
    hasLingered = true
    lingerTask = nil
  }

  /// The current listener's stream has ended: what it sends from now on is ignored, and it is to be removed.
  mutating func end() {
    epoch += 1
    hasEnded = true
  }

  /// The source is gone.
  mutating func abandon() {
    isAbandoned = true
  }

  private var mayRunUnobserved: Bool {
    guard !hasEnded, !isAbandoned else { return false }
    return switch policy {
    case .lifetime: true
    case .whileObserved(let linger, _): linger > .zero && !hasLingered
    case nil: false
    }
  }

  private mutating func start() -> Step {
    hasEnded = false
    epoch += 1
    return .start(epoch: epoch)
  }

  private mutating func stopLingering() -> Step? {
    guard let task = lingerTask.take() else { return nil }
    lingerRound += 1
    return .stopLingering(task)
  }

  private mutating func stop(_ running: any ListenerRegistration) -> Step {
    registration = nil
    hasLingered = false
    epoch += 1
    return .remove(running)
  }
}

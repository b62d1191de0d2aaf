/// How long to wait before trying again: doubled each time up to a cap, and scattered so that clients that failed
/// together do not return together.
public struct Backoff: Sendable, Hashable {
  /// How waits are scattered.
  public enum Jitter: Sendable, Hashable {
    /// Between half of the wait and all of it: keeps a distance from the failure.
    case equal
    /// Between nothing and all of it: spreads a crowd best.
    case full
    /// Not at all.
    case none
  }

  /// The first wait, before scattering.
  public var base: Duration
  /// The longest wait.
  public var cap: Duration
  /// How waits are scattered.
  public var jitter: Jitter

  /// Describes waits. They are scattered equally unless told otherwise.
  public init(base: Duration, cap: Duration, jitter: Jitter = .equal) {
    self.base = base
    self.cap = cap
    self.jitter = jitter
  }

  /// The wait after failure number `failure`, which counts from 1.
  ///
  /// - Parameter draw: where in its range the wait lies, 0 to 1; by chance unless given.
  public func delay(afterFailure failure: Int, draw: Double = .random(in: 0...1)) -> Duration {
    var wait = base
    var doublings = failure - 1
    while doublings > 0, wait > .zero, wait < cap {
      wait *= 2
      doublings -= 1
    }
    wait = min(wait, cap)
    let draw = min(max(draw, 0), 1)
    return switch jitter {
    case .equal: wait * (0.5 + draw / 2)
    case .full: wait * draw
    case .none: wait
    }
  }
}

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

  /// The wait after failure number `failure`, which counts from 1, drawn with `random`.
  public func delay(afterFailure failure: Int, using random: inout some RandomNumberGenerator) -> Duration {
    var wait = base
    var doublings = failure - 1
    while doublings > 0, wait > .zero, wait < cap {
      wait *= 2
      doublings -= 1
    }
    wait = min(wait, cap)
    return switch jitter {
    case .equal: wait * Double.random(in: 0.5...1, using: &random)
    case .full: wait * Double.random(in: 0...1, using: &random)
    case .none: wait
    }
  }

  /// The wait after failure number `failure`, which counts from 1.
  public func delay(afterFailure failure: Int) -> Duration {
    var random = SystemRandomNumberGenerator()
    return delay(afterFailure: failure, using: &random)
  }
}

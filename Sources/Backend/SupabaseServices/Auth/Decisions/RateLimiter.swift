internal import SwiftwaterStreams

/// Counts what was asked for, in buckets that refill steadily. Each process counts for itself.
struct RateLimiter: Sendable {
  /// What is counted apart.
  enum Subject: Hashable, Sendable {
    case signIns(address: String)
    case verifications(address: String)
    case tokenRefreshes(address: String)
    case anonymousUsers(address: String)
    case emails
    case textMessages
  }

  private let limits: RateLimits
  private let isEnabled: Bool
  private let buckets = LockIsolated(Buckets())

  init(_ limits: RateLimits, isEnabled: Bool) {
    self.limits = limits
    self.isEnabled = isEnabled
  }

  /// How long must pass between two mails or messages to a user.
  var emailInterval: Duration { isEnabled ? limits.emailInterval : .zero }
  var textMessageInterval: Duration { isEnabled ? limits.textMessageInterval : .zero }

  /// Takes one; fails when there is none left.
  func take(_ subject: Subject, now: ContinuousClock.Instant = .now) throws(AuthError) {
    guard isEnabled else { return }
    let (capacity, period): (Int, Duration) =
      switch subject {
      case .signIns: (limits.signIns, .seconds(300))
      case .verifications: (limits.verifications, .seconds(300))
      case .tokenRefreshes: (limits.tokenRefreshes, .seconds(300))
      case .anonymousUsers: (limits.anonymousUsers, .seconds(3600))
      case .emails: (limits.emailsSent, .seconds(3600))
      case .textMessages: (limits.textMessagesSent, .seconds(3600))
      }
    let isGranted = buckets.withLock { $0.take(subject, capacity: capacity, period: period, now: now) }
    guard !isGranted else { return }
    var error =
      switch subject {
      case .emails: AuthError(429, .overEmailSendRateLimit, "email rate limit exceeded")
      case .textMessages: AuthError(429, .overSMSSendRateLimit, "SMS rate limit exceeded")
      default: AuthError(429, .overRequestRateLimit, "Request rate limit reached")
      }
    error.retryAfter = capacity > 0 ? max(1, Int((period / capacity).components.seconds)) : nil
    throw error
  }

  /// The levels of all buckets.
  struct Buckets {
    private struct Bucket {
      var level: Double
      var date: ContinuousClock.Instant
    }
    private var levels: [Subject: Bucket] = [:]
    /// So many addresses are remembered; a flood of new ones drives out the half that has come least of late.
    private static let limit = 10_000

    mutating func take(_ subject: Subject, capacity: Int, period: Duration, now: ContinuousClock.Instant) -> Bool {
      if levels.count >= Self.limit, levels[subject] == nil { forgetSome() }
      let full = Double(capacity)
      var bucket = levels[subject] ?? Bucket(level: full, date: now)
      bucket.level = min(full, bucket.level + full * ((now - bucket.date) / period))
      bucket.date = max(bucket.date, now)
      let isGranted = bucket.level >= 1
      if isGranted { bucket.level -= 1 }
      levels[subject] = bucket
      return isGranted
    }

    private mutating func forgetSome() {
      let dates = levels.values.map(\.date).sorted()
      let middle = dates[dates.count / 2]
      // What all share is not for one to be forgotten.
      levels = levels.filter { $0.value.date > middle || $0.key == .emails || $0.key == .textMessages }
    }
  }
}

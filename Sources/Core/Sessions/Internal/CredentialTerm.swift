internal import FoundationEssentials

/// A moment by both clocks: the one that only goes forward, and the one on the wall, which may be wrong.
struct Moment: Sendable {
  /// Since the manager was made.
  var elapsed: Duration
  var date: Date
}

/// When a credential is to be renewed, by the clock that only goes forward.
struct CredentialTerm: Sendable, Equatable {
  /// From here on a refresh in the background begins.
  let due: Duration
  /// From here on callers wait for a refresh.
  let unfit: Duration
  /// Here it expires.
  let end: Duration

  init(remaining: Duration, lifetime: Duration, now: Duration, margin: Duration, lead: Duration) {
    end = now + remaining
    unfit = end - min(margin, lifetime / 4)
    due = end - min(max(lead, margin), lifetime / 2)
  }
}

/// What time it is on the server, as far as it has been told.
struct ServerTime: Sendable {
  private var told: (date: Date, at: Duration)?

  /// How long a credential is good that the server has issued just now, which tells its time.
  mutating func remaining(ofIssued validity: CredentialValidity, at moment: Moment) -> Duration {
    let lifetime = Self.lifetime(validity)
    told = (validity.expiresAt.addingTimeInterval(-(lifetime / .seconds(1))), moment.elapsed)
    return lifetime
  }

  /// How long a credential of unknown age is good.
  func remaining(ofKept validity: CredentialValidity, at moment: Moment) -> Duration {
    let now = told.map { $0.date.addingTimeInterval((moment.elapsed - $0.at) / .seconds(1)) } ?? moment.date
    let seconds = validity.expiresAt.timeIntervalSince(now)
    // What is no number, or out of all bounds, must not trap.
    let remaining = Duration.seconds(seconds.isNaN ? 0 : min(max(seconds, -1e9), 1e9))
    return min(remaining, Self.lifetime(validity))
  }

  /// A server that issues what has expired already must not be asked without end.
  static func lifetime(_ validity: CredentialValidity) -> Duration {
    min(max(validity.lifetime, .seconds(1)), .seconds(1_000_000_000))
  }
}

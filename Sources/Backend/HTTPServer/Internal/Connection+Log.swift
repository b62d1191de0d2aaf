internal import SwiftwaterHTTP

extension Connection {
  /// What has moved for one exchange.
  struct Tally: Sendable {
    var received: Int64 = 0
    var sent: Int64 = 0
    var isComplete = false
  }

  /// What there is to tell about a request that has been answered or given up.
  func entry(
    for work: Work, _ status: HTTPResponse.Status?, since start: ContinuousClock.Instant
  ) -> AccessLogEntry {
    let head: HTTPRequest? = if case .request(let request, _) = work { request.head } else { nil }
    let tally = locked { state, _ in
      defer { state.finishedTally = nil }
      return state.finishedTally ?? state.tally
    }
    return AccessLogEntry(
      peer: peer, method: head?.method, path: head.map { String($0.path.prefix { $0 != "?" }) } ?? "", status: status,
      isComplete: tally.isComplete, bytesReceived: tally.received, bytesSent: tally.sent, duration: .now - start)
  }
}

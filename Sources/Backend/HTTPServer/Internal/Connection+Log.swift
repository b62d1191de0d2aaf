internal import SwiftwaterHTTP

extension Connection {
  /// What has moved for one exchange.
  struct Tally: Sendable {
    var received: Int64 = 0
    var sent: Int64 = 0
    var isComplete = false
  }

  /// Tells about a request that has been answered or given up.
  @inline(never)
  func log(_ job: Job, _ status: HTTPResponse.Status?, since start: ContinuousClock.Instant) {
    let head = job.request?.head
    let tally = locked { state, _ in
      defer { state.finishedTally = nil }
      return state.finishedTally ?? state.tally
    }
    let entry = AccessLogEntry(
      peer: peer, method: head?.method, path: head.map { Self.withoutQuery($0.path) } ?? "", status: status,
      isComplete: tally.isComplete, bytesReceived: tally.received, bytesSent: tally.sent, duration: .now - start)
    engine.configuration.accessLog?(entry)
  }

  /// By bytes: a combining character behind the question mark would make another `Character` of it.
  private static func withoutQuery(_ target: String) -> String {
    String(decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
  }
}

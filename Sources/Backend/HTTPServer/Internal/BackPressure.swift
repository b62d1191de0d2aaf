internal import SwiftwaterSockets
internal import SwiftwaterStreams

/// Who waits for whom on a server's connections at one moment. For tests: that nothing moves is no event.
struct BackPressure: Sendable {
  /// Connections that are not read because a handler is behind.
  var pausedReads = 0
  /// Handlers that wait for a client to read.
  var waitingSenders = 0
  /// Bytes that the network has not taken.
  var unsentBytes = 0
}

extension HTTPServer {
  /// How things stand now; nothing waits on a server that does not run.
  var backPressure: BackPressure {
    var sum = BackPressure()
    for connection in engine.value?.openConnections ?? [] { connection.add(to: &sum) }
    return sum
  }
}

extension Connection {
  fileprivate func add(to sum: inout BackPressure) {
    let (isPaused, isSending, unsent, channel) = locked { state, _ in
      (state.machine.isPaused, state.writer != nil, state.output.count, state.channel)
    }
    if isPaused { sum.pausedReads += 1 }
    sum.waitingSenders += (isSending ? 1 : 0) + (channel?.waitingSenders ?? 0)
    sum.unsentBytes += unsent
  }
}

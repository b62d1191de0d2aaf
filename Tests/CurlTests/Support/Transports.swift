import SwiftwaterCurl
import TestSupport

/// The transport that every test uses, in this one place, so that the suite can hold another one to the same.
///
/// The environment's proxies are left out unless a test is about them.
func makeTransport(
  _ configuration: CurlTransport.Configuration = CurlTransport.Configuration()
) -> CurlTransport {
  CurlTransport(configuration: withoutEnvironment(configuration))
}

/// A transport whose time a test moves on with `letTimePass`.
func makeTransport(
  _ configuration: CurlTransport.Configuration = CurlTransport.Configuration(), clock: ManualClock
) -> CurlTransport {
  let start = ContinuousClock.now
  return CurlTransport(configuration: withoutEnvironment(configuration), now: { start + clock.now.offset })
}

private func withoutEnvironment(_ configuration: CurlTransport.Configuration) -> CurlTransport.Configuration {
  var configuration = configuration
  if configuration.proxy == .environment { configuration.proxy = .none }
  return configuration
}

extension CurlTransport {
  /// Moves the clock of the transport on, for requests and WebSockets.
  func letTimePass(_ time: Duration, _ clock: ManualClock) {
    clock.advance(by: time)
    engine.wake()
    webSocketEngine().wake()
  }

  /// Lets so much time pass as it takes until the condition holds.
  func letTimePass(_ clock: ManualClock, until condition: @escaping @Sendable () -> Bool) async -> Bool {
    await eventually {
      letTimePass(.seconds(10), clock)
      return condition()
    }
  }
}

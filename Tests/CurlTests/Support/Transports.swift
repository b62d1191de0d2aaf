import SwiftwaterCurl
import TestSupport

#if canImport(Darwin)
  import Foundation

  typealias TransportUnderTest = URLSessionTransport
#else
  typealias TransportUnderTest = CurlTransport
#endif

/// The transport that tests use which ask for nothing special: in this one place, so that the system's own is held to
/// the same where it is the usual one.
func makeTransport() -> TransportUnderTest {
  #if canImport(Darwin)
    URLSessionTransport()
  #else
    makeTransport(CurlTransport.Configuration())
  #endif
}

/// libcurl's transport. The environment's proxies are left out unless a test is about them.
func makeTransport(_ configuration: CurlTransport.Configuration) -> CurlTransport {
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

extension CurlTransport {
  /// How many exchanges are under way.
  func liveCount() async -> Int { engine.liveTransferCount }

  /// How many of them wait for their reader.
  func heldCount() async -> Int { engine.heldTransferCount }
}

#if canImport(Darwin)
  extension URLSessionTransport {
    func liveCount() async -> Int { await session.allTasks.count }
    func heldCount() async -> Int { await session.allTasks.count { $0.state == .suspended } }
  }
#endif

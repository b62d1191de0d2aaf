import Foundation
import PostgREST
import SwiftwaterStreams
import TestSupport
import Testing

/// The table of the SDK's architecture: GET and HEAD, after 503 and 520 and transient failures, four attempts with waits
/// from 1 s to 30 s.
@Suite("Retries and timeouts")
struct RetryTests {
  private struct Busy: ClientTransport {
    let sent = LockIsolated<[HTTPRequest]>([])
    var status: Int? = 503
    var fields = HTTPFields()

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
      sent.withLock { $0.append(request) }
      guard let status else { throw HTTPError(kind: .connectionLost, message: "") }
      return (HTTPResponse(status: .init(code: status), headerFields: fields), HTTPBody("{}"))
    }
  }

  private func client(_ transport: Busy, _ clock: ManualClock, retryEnabled: Bool = true) throws -> PostgrestClient {
    PostgrestClient(
      configuration: .init(
        url: try #require(URL(string: "http://h")), http: .init(transport: transport, timeout: .seconds(7)),
        retryEnabled: retryEnabled, clock: clock))
  }

  /// The waits between attempts, in seconds.
  private func waits(
    _ clock: ManualClock, _ call: @escaping @Sendable () async throws -> Void
  ) async -> [Double] {
    let running = LockIsolated(true)
    async let end: Void = {
      try? await call()
      running.withLock { $0 = false }
    }()
    var waits: [Double] = []
    while await eventually({ clock.pendingSleeps > 0 || !running.value }), running.value {
      let wait = clock.timeToNextSleepEnd ?? .zero
      waits.append(wait / .seconds(1))
      clock.advance(by: wait)
      _ = await eventually { clock.pendingSleeps == 0 }
    }
    await end
    return waits
  }

  @Test("A read is sent four times in all, with growing waits", arguments: [503, 520, nil])
  func read(status: Int?) async throws {
    let (transport, clock) = (Busy(status: status), ManualClock())
    let client = try client(transport, clock)
    let waits = await waits(clock) { try await client.from("t").select().execute() }
    #expect(waits.count == 3)
    for (wait, longest) in zip(waits, [1.0, 2, 4]) { #expect((longest / 2...longest).contains(wait)) }
    #expect(transport.sent.value.map { $0.headerFields[.xRetryCount] } == [nil, "1", "2", "3"])
  }

  @Test("A server that names its wait is believed, up to 30 seconds")
  func retryAfter() async throws {
    for (field, wait) in [("12", 12.0), ("900", 30)] {
      let (transport, clock) = (Busy(fields: [.retryAfter: field]), ManualClock())
      let client = try client(transport, clock)
      #expect(await waits(clock) { try await client.from("t").select(head: true).execute() } == [wait, wait, wait])
    }
  }

  @Test("Writes, functions and other refusals are sent once")
  func once() async throws {
    let clock = ManualClock()
    for status in [503, nil] {
      let transport = Busy(status: status)
      let client = try client(transport, clock)
      let calls: [() async throws -> Void] = [
        { try await client.from("t").insert(["a": 1]).execute() }, { try await client.from("t").delete().execute() },
        { try await client.from("t").update(["a": 1]).execute() }, { try await client.rpc("f").execute() },
      ]
      for call in calls { await #expect(throws: PostgrestError.self) { try await call() } }
      #expect(transport.sent.value.count == calls.count)
    }
    for status in [408, 429, 500, 502, 504] {
      let transport = Busy(status: status)
      let client = try client(transport, clock)
      await #expect(throws: PostgrestError.self) { try await client.from("t").select().execute() }
      #expect(transport.sent.value.count == 1)
    }
  }

  @Test("Retries are turned off for the client or a call, and a call turns them on again")
  func switches() async throws {
    let clock = ManualClock()
    for (isClients, isCalls, count) in [(false, nil, 1), (true, false, 1), (false, true, 4)] as [(Bool, Bool?, Int)] {
      let transport = Busy()
      let query = try client(transport, clock, retryEnabled: isClients).from("t").select()
      let call = isCalls.map { query.retry(enabled: $0) } ?? query
      _ = await waits(clock) { try await call.execute() }
      #expect(transport.sent.value.count == count)
    }
  }

  @Test("A call's timeout stands in place of the client's, for each attempt")
  func timeouts() async throws {
    let (transport, clock) = (Busy(), ManualClock())
    let client = try client(transport, clock)
    _ = await waits(clock) { try await client.from("t").select().timeout(.seconds(2)).execute() }
    #expect(transport.sent.value.map(\.timeout) == Array(repeating: .seconds(2), count: 4))
    await #expect(throws: PostgrestError.self) { try await client.rpc("f").execute() }
    #expect(transport.sent.value.last?.timeout == .seconds(7))
  }
}

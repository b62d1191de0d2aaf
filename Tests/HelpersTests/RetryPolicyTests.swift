import Helpers
import SwiftwaterStreams
import Testing

@Suite("The retry table of the Supabase modules")
struct RetryPolicyTests {
  private static let passing = [408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530]

  /// The table as it is written: methods, statuses, attempts, base and cap.
  struct Row: Sendable, CustomTestStringConvertible {
    let module: String
    let policy: RetryPolicy
    let methods: [HTTPRequest.Method]
    let statuses: [Int]
    let attempts: Int
    let base: Duration
    let cap: Duration
    let sendsUnsentAgain: Bool
    var testDescription: String { module }
  }

  private static let table = [
    Row(
      module: "Auth", policy: .auth, methods: [.get], statuses: passing, attempts: 3, base: .milliseconds(500),
      cap: .seconds(20), sendsUnsentAgain: true),
    Row(
      module: "PostgREST", policy: .postgrest, methods: [.get, .head], statuses: [503, 520], attempts: 4,
      base: .seconds(1), cap: .seconds(30), sendsUnsentAgain: false),
    Row(
      module: "Storage", policy: .storage, methods: [.get, .head, .options], statuses: passing, attempts: 3,
      base: .milliseconds(500), cap: .seconds(20), sendsUnsentAgain: false),
    Row(
      module: "Functions, Realtime's httpSend", policy: .never, methods: [], statuses: [], attempts: 1, base: .zero,
      cap: .zero, sendsUnsentAgain: false),
  ]

  /// How often a request is sent to a server that always answers so, without waiting in between.
  private func count(
    _ policy: RetryPolicy, _ request: HTTPRequest, _ answer: @escaping @Sendable () throws -> HTTPResponse
  ) async -> Int {
    struct Transport: ClientTransport {
      let count = LockIsolated(0)
      let answer: @Sendable () throws -> HTTPResponse

      func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        count.withLock { $0 += 1 }
        return (try answer(), .empty)
      }
    }
    var policy = policy
    policy.backoff = Backoff(base: .zero, cap: .zero)
    let transport = Transport(answer: answer)
    let client = HTTPClient(configuration: .init(transport: transport), retry: policy)
    _ = try? await client.send(request)
    return transport.count.value
  }

  @Test("Attempts and waits are the table's", arguments: table)
  func numbers(row: Row) {
    #expect(row.policy.attempts == row.attempts)
    #expect(row.policy.backoff == Backoff(base: row.base, cap: row.cap, jitter: .equal))
  }

  @Test("Of every method and status, those of the table are sent again and no other", arguments: table)
  func statuses(row: Row) async {
    for method in [.get, .head, .options, .post, .put, .patch, .delete] as [HTTPRequest.Method] {
      for status in 200..<600 {
        let isListed = row.methods.contains(method) && row.statuses.contains(status)
        let sent = await count(row.policy, HTTPRequest(method: method)) {
          HTTPResponse(status: .init(code: status), headerFields: [.retryAfter: "0"])
        }
        #expect(sent == (isListed ? row.attempts : 1), "\(method) \(status)")
      }
    }
    // 429 without Retry-After is final in every module.
    let sent = await count(row.policy, HTTPRequest(method: .get)) { HTTPResponse(status: 429) }
    #expect(sent == 1)
  }

  @Test("Failures: reads are sent again, other requests only in Auth and only if nothing was sent", arguments: table)
  func failures(row: Row) async {
    for kind in [.connectionFailed, .connectionLost, .timeout] as [HTTPError.Kind] {
      for method in [.get, .post] as [HTTPRequest.Method] {
        let isRepeated =
          row.methods.contains(method) || row.sendsUnsentAgain && kind == .connectionFailed
        let sent = await count(row.policy, HTTPRequest(method: method)) { throw HTTPError(kind: kind, message: "") }
        #expect(sent == (isRepeated ? row.attempts : 1), "\(method) \(kind)")
      }
    }
  }

  @Test("A listing, which is a POST, is sent again as a read of Storage is")
  func listing() async {
    var request = HTTPRequest(method: .post)
    request.retry = .always
    #expect(await count(.storage, request) { HTTPResponse(status: 503) } == 3)
    #expect(await count(.never, request) { HTTPResponse(status: 503) } == 1)
  }
}

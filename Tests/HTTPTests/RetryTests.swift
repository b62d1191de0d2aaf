import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Retries")
struct RetryTests {
  private static let policy = RetryPolicy(
    methods: [.get], statuses: [429, 503], retriesUnsentRequests: true, attempts: 3,
    backoff: Backoff(base: .seconds(1), cap: .seconds(20), jitter: .none))

  /// Answers with each of its outcomes once, in order, then with 200.
  private final class Script: ClientTransport {
    enum Outcome: Sendable {
      case status(HTTPResponse.Status, HTTPFields)
      case failure(any Error)
    }

    private let outcomes: LockIsolated<ArraySlice<Outcome>>
    let requests = LockIsolated<[HTTPRequest]>([])
    let bodies = LockIsolated<[[UInt8]]>([])

    init(_ outcomes: [Outcome]) { self.outcomes = LockIsolated(outcomes[...]) }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
      let sent = try await body?.collect(upTo: 1 << 20)
      bodies.withLock { $0.append(sent ?? []) }
      requests.withLock { $0.append(request) }
      switch outcomes.withLock({ $0.popFirst() }) {
      case .status(let status, let fields): return (HTTPResponse(status: status, headerFields: fields), .empty)
      case .failure(let error): throw error
      case nil: return (HTTPResponse(status: .ok), .empty)
      }
    }
  }

  /// Sends a request and notes the waits before each repetition.
  private func run(
    _ outcomes: [Script.Outcome], _ request: HTTPRequest = HTTPRequest(method: .get), body: HTTPBody? = nil,
    policy: RetryPolicy = Self.policy
  ) async throws -> (result: Result<HTTPResponse, any Error>, waits: [Duration], script: Script) {
    let (script, clock) = (Script(outcomes), ManualClock())
    let client = HTTPClient(configuration: .init(transport: script), retry: policy, clock: clock)
    async let sent = client.send(request, body: body).0
    let waits = LockIsolated<[Duration]>([])
    let isDone = LockIsolated(false)
    let driver = Task {
      while !isDone.value {
        if let wait = clock.timeToNextSleepEnd {
          waits.withLock { $0.append(wait) }
          clock.advance(by: wait)
        }
        await Task.yield()
      }
    }
    let result: Result<HTTPResponse, any Error>
    do { result = .success(try await sent) } catch { result = .failure(error) }
    isDone.withLock { $0 = true }
    await driver.value
    return (result, waits.value, script)
  }

  @Test("A listed status is retried after growing waits, and each repetition says which one it is")
  func status() async throws {
    let (result, waits, script) = try await run([.status(503, [:]), .status(503, [:])])
    #expect(try result.get().status == .ok)
    #expect(waits == [.seconds(1), .seconds(2)])
    #expect(script.requests.value.map { $0.headerFields[.xRetryCount] } == [nil, "1", "2"])
  }

  @Test("When all attempts are used up the last answer is the caller's")
  func attempts() async throws {
    let (result, waits, script) = try await run([.status(503, [:]), .status(503, [:]), .status(503, [.allow: "x"])])
    #expect(try result.get().headerFields[.allow] == "x")
    #expect(waits.count == 2)
    #expect(script.requests.value.count == 3)
  }

  @Test(
    "Retry-After is waited for, up to the cap; 429 is retried only with it",
    arguments: [
      (503, "7", [7.0]), (429, "7", [7]), (503, "600", [20]), (429, "0", [0]), (429, nil, []),
      (503, "soon", [1]), (429, "soon", []),
      (429, "99999999999999999999999999", [20]), (429, "1000000000000000000000000", [20]), (503, "-1", [1]),
      (429, "Sun, 06 Nov 1994 08:49:45 GMT", [8]), (429, "Sun, 06 Nov 1994 08:49:07 GMT", [0]),
      (429, "Sun, 06 Nov 2094 08:49:07 GMT", [20]), (429, "Sunday, 06-Nov-94 08:49:45 GMT", [8]),
    ] as [(Int, String?, [Double])])
  func retryAfter(status: Int, value: String?, expected: [Double]) async throws {
    var fields: HTTPFields = [.date: "Sun, 06 Nov 1994 08:49:37 GMT"]
    fields[.retryAfter] = value
    let (result, waits, _) = try await run([.status(.init(code: status), fields)])
    // A wait of nothing ends before anybody can see it.
    #expect(waits == expected.filter { $0 > 0 }.map { .seconds($0) })
    #expect(try result.get().status.code == (expected.isEmpty ? status : 200))
  }

  @Test(
    "Failures: what has not been sent may be sent again by any method, what may have been seen only if it is repeatable",
    arguments: [
      (HTTPRequest.Method.get, HTTPError.Kind.connectionFailed, true), (.get, .connectionLost, true),
      (.get, .timeout, true), (.get, .tls, false), (.get, .invalidResponse, false), (.get, .shutDown, false),
      (.post, .connectionFailed, true), (.post, .connectionLost, false), (.post, .timeout, false),
    ])
  func failures(method: HTTPRequest.Method, kind: HTTPError.Kind, isRetried: Bool) async throws {
    let (result, waits, _) = try await run(
      [.failure(HTTPError(kind: kind, message: ""))], HTTPRequest(method: method), body: HTTPBody("x"))
    #expect(waits.count == (isRetried ? 1 : 0))
    if isRetried {
      #expect(try result.get().status == .ok)
    } else {
      #expect(throws: HTTPError.self) { try result.get() }
    }
  }

  @Test("A request can say itself whether it may be repeated")
  func override() async throws {
    var listing = HTTPRequest(method: .post)
    listing.retry = .always
    #expect(try await run([.status(503, [:])], listing).script.requests.value.count == 2)
    var once = HTTPRequest(method: .get)
    once.retry = .never
    #expect(try await run([.status(503, [:])], once).script.requests.value.count == 1)
    let lost = Script.Outcome.failure(HTTPError(kind: .connectionFailed, message: ""))
    #expect(try await run([lost], once).script.requests.value.count == 1)
  }

  @Test("A body that can be read once is never sent twice; one that replays is sent in full each time")
  func bodies() async throws {
    let chunks = LockIsolated<ArraySlice<[UInt8]>>([[1], [2]])
    let single = HTTPBody { chunks.withLock { $0.popFirst() } }
    let (result, _, script) = try await run([.status(503, [:])], body: single)
    #expect(try result.get().status == 503)
    #expect(script.bodies.value == [[1, 2]])
    let replaying = HTTPBody.replaying {
      let chunks = LockIsolated<ArraySlice<[UInt8]>>([[1], [2]])
      return { chunks.withLock { $0.popFirst() } }
    }
    #expect(try await run([.status(503, [:])], body: replaying).script.bodies.value == [[1, 2], [1, 2]])
  }

  @Test("Other errors than the transport's, and cancellation, are not retried")
  func otherErrors() async throws {
    struct Mine: Error {}
    for error in [Mine(), CancellationError()] as [any Error] {
      #expect(try await run([.failure(error)]).script.requests.value.count == 1)
    }
  }

  @Test("Cancellation ends the wait before a retry")
  func cancellation() async {
    let (script, clock) = (Script([.status(503, [:])]), ManualClock())
    let client = HTTPClient(configuration: .init(transport: script), retry: Self.policy, clock: clock)
    let task = Task { try await client.send(HTTPRequest(method: .get)) }
    #expect(await clock.waitForSleeps(1))
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(script.requests.value.count == 1)
  }

  @Test("Each attempt passes the middlewares again, so each gets a fresh token")
  func freshToken() async throws {
    final class Tokens: ClientMiddleware {
      let count = LockIsolated(0)

      func intercept(_ request: HTTPRequest, body: HTTPBody?, next: Next) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        let number = count.withLock { count in
          count += 1
          return count
        }
        request.headerFields[.authorization] = "Bearer \(number)"
        return try await next(request, body)
      }
    }
    let script = Script([.failure(HTTPError(kind: .timeout, message: ""))])
    var policy = Self.policy
    policy.backoff = Backoff(base: .zero, cap: .zero)
    let client = HTTPClient(configuration: .init(transport: script, middlewares: [Tokens()]), retry: policy)
    _ = try await client.send(HTTPRequest(method: .get))
    #expect(script.requests.value.map { $0.headerFields[.authorization] } == ["Bearer 1", "Bearer 2"])
  }
}

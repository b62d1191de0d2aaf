import Helpers
import SwiftwaterStreams
import Testing

@Suite("Who a request says that it comes from")
struct AccessTokenTests {
  private struct Transport: ClientTransport {
    let sent = LockIsolated<[HTTPRequest]>([])
    var status = 200

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
      sent.withLock { $0.append(request) }
      return (HTTPResponse(status: .init(code: status)), .empty)
    }
  }

  private struct Failure: Error, Equatable {}

  /// The `Authorization` of a request that passes a token's provider and then the key's middleware.
  private func authorization(
    _ fields: HTTPFields, _ token: @escaping @Sendable () async throws -> String?
  ) async throws -> [String] {
    let transport = Transport()
    let configuration = HTTPClientConfiguration(
      transport: transport, middlewares: [AccessTokenMiddleware(accessToken: token)])
    let client = HTTPClient(configuration: configuration, middlewares: [APIKeyMiddleware()])
    _ = try await client.send(HTTPRequest(method: .get, headerFields: fields))
    return try #require(transport.sent.value.first).headerFields[values: .authorization]
  }

  @Test("A field of the request's own wins over the token, and the token over the key")
  func precedence() async throws {
    let own: HTTPFields = [.apikey: "key", .authorization: "Basic x"]
    #expect(try await authorization(own) { "token" } == ["Basic x"])
    #expect(try await authorization([.apikey: "key"]) { "token" } == ["Bearer token"])
    #expect(try await authorization([.apikey: "key"]) { nil } == ["Bearer key"])
    #expect(try await authorization([:]) { nil } == [])
  }

  @Test("Every attempt asks the provider again")
  func attempts() async throws {
    let transport = Transport(status: 503)
    let calls = LockIsolated(0)
    let provider = AccessTokenMiddleware {
      calls.withLock { calls in
        calls += 1
        return "\(calls)"
      }
    }
    var policy = RetryPolicy.postgrest
    policy.backoff = Backoff(base: .zero, cap: .zero)
    let client = HTTPClient(configuration: .init(transport: transport, middlewares: [provider]), retry: policy)
    _ = try await client.send(HTTPRequest(method: .get))
    #expect(
      transport.sent.value.map { $0.headerFields[.authorization] } == ["Bearer 1", "Bearer 2", "Bearer 3", "Bearer 4"])
  }

  @Test("What the provider throws is kept, cancellation stays what it is, and nothing is sent")
  func failure() async throws {
    let error = await #expect(throws: AccessTokenError.self) { try await authorization([:]) { throw Failure() } }
    #expect(error?.underlyingError is Failure)
    await #expect(throws: CancellationError.self) { try await authorization([:]) { throw CancellationError() } }
  }
}

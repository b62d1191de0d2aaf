import SwiftwaterHTTP
import SwiftwaterStreams
import Testing

@Suite("The HTTP client's chain")
struct HTTPClientTests {
  private struct Transport: ClientTransport {
    let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
      (try await answer(request), body ?? .empty)
    }
  }

  private struct Tag: ClientMiddleware {
    let name: String

    func intercept(
      _ request: HTTPRequest, body: HTTPBody?, next: Next
    ) async throws -> (HTTPResponse, HTTPBody) {
      var request = request
      request.headerFields.append(HTTPField(name: .accept, value: name))
      var (response, body) = try await next(request, body)
      response.headerFields.append(HTTPField(name: .allow, value: name))
      return (response, body)
    }
  }

  @Test("Middlewares run in order on the way out and in reverse on the way back")
  func order() async throws {
    let transport = Transport { request in
      #expect(request.headerFields[values: .accept] == ["outer", "inner"])
      return HTTPResponse(status: .ok)
    }
    let client = HTTPClient(
      configuration: .init(transport: transport, middlewares: [Tag(name: "outer"), Tag(name: "inner")]))
    let (response, body) = try await client.send(HTTPRequest(method: .post), body: HTTPBody("x"))
    #expect(response.headerFields[values: .allow] == ["inner", "outer"])
    #expect(try await body.collect(upTo: 1) == Array("x".utf8))
  }

  @Test("The configured idle timeout holds unless the request has its own")
  func timeout() async throws {
    let seen = LockIsolated<[Duration?]>([])
    let transport = Transport { request in
      seen.withLock { $0.append(request.timeout) }
      return HTTPResponse(status: .ok)
    }
    let client = HTTPClient(configuration: .init(transport: transport, timeout: .seconds(7)))
    _ = try await client.send(HTTPRequest(method: .get))
    _ = try await client.send(HTTPRequest(method: .get, timeout: .seconds(1)))
    #expect(seen.value == [.seconds(7), .seconds(1)])
  }

  @Test("A cancelled task gets CancellationError whatever the transport throws")
  func cancellation() async {
    let client = HTTPClient(
      configuration: .init(
        transport: Transport { _ in
          withUnsafeCurrentTask { $0?.cancel() }
          throw HTTPError(kind: .connectionLost, message: "gone")
        }))
    await #expect(throws: CancellationError.self) {
      try await Task { try await client.send(HTTPRequest(method: .get)) }.value
    }
  }
}

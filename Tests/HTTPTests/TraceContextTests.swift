import SwiftwaterHTTP
import SwiftwaterStreams
import Testing

@Suite("Trace context")
struct TraceContextTests {
  private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test("The field is read and written as W3C says")
  func format() throws {
    let context = try #require(TraceContext(traceparent: Self.example))
    #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(context.parentID == "00f067aa0ba902b7")
    #expect(context.isSampled)
    #expect(context.traceparent == Self.example)
    // A later version may say more; its first four parts are read.
    #expect(TraceContext(traceparent: "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-more") != nil)
  }

  @Test(
    "What is none is refused",
    arguments: [
      "", "00", "00-0-0-0", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1\r\n",
    ])
  func refuses(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test("The current context goes along, unless there is none or the request has its own")
  func middleware() async throws {
    struct Transport: ClientTransport {
      let seen = LockIsolated<[String?]>([])

      func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        seen.withLock { $0.append(request.headerFields[.traceparent]) }
        return (HTTPResponse(status: .ok), .empty)
      }
    }
    let transport = Transport()
    let client = HTTPClient(configuration: .init(transport: transport), middlewares: [TraceContextMiddleware()])
    _ = try await client.send(HTTPRequest(method: .get))
    try await TraceContext.$current.withValue(TraceContext(traceparent: Self.example)) {
      _ = try await client.send(HTTPRequest(method: .get))
      _ = try await client.send(HTTPRequest(method: .get, headerFields: [.traceparent: "mine"]))
    }
    #expect(transport.seen.value == [nil, Self.example, "mine"])
  }
}

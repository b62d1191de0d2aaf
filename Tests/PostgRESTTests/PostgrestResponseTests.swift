import FoundationEssentials
import PostgREST
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Responses")
struct PostgrestResponseTests {
  private func client(_ transport: some ClientTransport) throws -> PostgrestClient {
    PostgrestClient(configuration: .init(url: try #require(URL(string: "http://h")), http: .init(transport: transport)))
  }

  @Test("Rows decode on the caller's actor, into types that belong to it")
  @MainActor
  func decodesOnCallersActor() async throws {
    let client = try client(RecordingTransport(body: #"[{"id":1},{"id":2}]"#))
    let rows: [MainActorRow] = try await client.from("t").select().execute().value
    #expect(rows.map(\.id) == [1, 2])
  }

  @Test("Dates decode with microseconds")
  func dates() async throws {
    struct Event: Decodable { var at: Date }
    let client = try client(RecordingTransport(body: #"[{"at":"2026-11-30T03:35:09.123456+00:00"}]"#))
    let events: [Event] = try await client.from("t").select().execute().value
    #expect(abs(try #require(events.first).at.timeIntervalSince1970 - 1_796_009_709.123456) < 1e-6)
  }

  @Test("The total count is read from Content-Range")
  func count() async throws {
    let head = HTTPResponse(status: .partialContent, headerFields: [.contentRange: "0-24/3573458"])
    let response = try await client(RecordingTransport(response: head)).from("t").select(count: .exact).execute()
    #expect(response.count == 3_573_458)
    #expect(response.status == 206)
    let uncounted = HTTPResponse(status: .ok, headerFields: [.contentRange: "0-24/*"])
    #expect(try await client(RecordingTransport(response: uncounted)).from("t").select().execute().count == nil)
  }

  @Test("A refusal carries code, message, details, hint, status and request id")
  func refusal() async throws {
    let head = HTTPResponse(status: 409, headerFields: [HTTPField.Name("sb-request-id")!: "r-1"])
    let body = #"{"code":"23505","message":"duplicate key","details":"Key (id)=(1) already exists.","hint":"h"}"#
    let client = try client(RecordingTransport(response: head, body: body))
    let error = try #require(
      await #expect(throws: PostgrestError.self) { try await client.from("t").insert(["id": 1]).execute() })
    #expect(error.kind == .server)
    #expect(error.code == .uniqueViolation)
    #expect(error.message == "duplicate key")
    #expect(error.details == "Key (id)=(1) already exists.")
    #expect(error.hint == "h")
    #expect(error.status == 409)
    #expect(error.requestID == "r-1")
  }

  @Test("A proxy's page is reported by its status")
  func notJSON() async throws {
    let client = try client(RecordingTransport(response: HTTPResponse(status: 502), body: "<html>Bad Gateway</html>"))
    let error = await #expect(throws: PostgrestError.self) { try await client.from("t").select().execute() }
    #expect(error?.status == 502)
    #expect(error?.message == "The server answered 502 Bad Gateway.")
    #expect(error?.response?.body == Array("<html>Bad Gateway</html>".utf8))
  }

  @Test("The code of an error compares with text, as in supabase-swift")
  func code() {
    let error = PostgrestError(kind: .server, message: "", code: "23505")
    #expect(error.code == "23505")
    #expect(error.code == .uniqueViolation)
    #expect(error.code?.rawValue == "23505")
  }

  @Test("A provider of tokens that fails is an error of its own kind")
  func accessToken() async throws {
    struct Failure: Error {}
    let transport = RecordingTransport()
    let provider = AccessTokenMiddleware { throw Failure() }
    let client = PostgrestClient(
      configuration: .init(
        url: try #require(URL(string: "http://h")), http: .init(transport: transport, middlewares: [provider])))
    let error = await #expect(throws: PostgrestError.self) { try await client.from("t").select().execute() }
    #expect(error?.kind == .accessToken)
    #expect(error?.underlyingError is Failure)
    #expect(transport.exchanges.value.isEmpty)
  }

  @Test("Log records name the service, without the query")
  func logging() async throws {
    struct Handler: ClientLogHandler {
      let records = LockIsolated<[LogRecord]>([])
      func log(_ record: LogRecord) { records.withLock { $0.append(record) } }
    }
    let handler = Handler()
    let client = PostgrestClient(
      configuration: .init(
        url: try #require(URL(string: "http://h")), http: .init(transport: RecordingTransport()),
        logger: ClientLogger(label: "io.supabase.postgrest", level: .trace, handler: handler)))
    try await client.from("t").select().eq("name", value: "secret").execute()
    let records = handler.records.value
    #expect(!records.isEmpty && records.allSatisfy { $0.metadata["system"] == "postgrest" })
    #expect(!records.contains { "\($0)".contains("secret") })
  }

  @Test("A wish that was granted can be read, and so can the body in an encoding")
  func preferences() async throws {
    let head = HTTPResponse(
      status: .ok, headerFields: [.preferenceApplied: "return=representation, count=exact"])
    let response = try await client(RecordingTransport(response: head, body: "[1]")).from("t").select().execute()
    #expect(response.appliedPreferences == ["return=representation", "count=exact"])
    #expect(response.string == "[1]")
    #expect(response.string() == "[1]")
    #expect(response.string(encoding: .utf16) != "[1]")
  }

  @Test("Text is read as text, JSON as JSON")
  func text() async throws {
    let csv = try client(RecordingTransport(body: "id\n1"))
    #expect(try await csv.from("t").select().csv().execute(as: String.self).value == "id\n1")
    #expect(try await csv.from("t").select().explain().execute(as: String.self).value == "id\n1")
    let json = try client(RecordingTransport(body: #""x""#))
    #expect(try await json.rpc("f").execute(as: String.self).value == "x")
  }

  @Test("A call has its own decoder and encoder")
  func coders() async throws {
    struct Row: Codable, Equatable { var dueAt: Int }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let transport = RecordingTransport(body: #"[{"due_at":1}]"#)
    let table = try client(transport).from("t")
    let row = Row(dueAt: 1)
    #expect(
      try await table.insert(row, encoder: encoder).select().execute(as: [Row].self, decoder: decoder).value == [row])
    try await table.update(row, encoder: encoder).execute()
    try await table.upsert(row, encoder: encoder).execute()
    #expect(transport.exchanges.value.map(\.body) == Array(repeating: #"{"due_at":1}"#, count: 3))
  }

  @Test("A transport's failure keeps its cause")
  func transport() async throws {
    struct Failing: ClientTransport {
      func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw HTTPError(kind: .connectionFailed, message: "Connection refused")
      }
    }
    let client = try client(Failing())
    let error = await #expect(throws: PostgrestError.self) {
      try await client.from("t").select().retry(enabled: false).execute()
    }
    #expect(error?.kind == .transport)
    #expect((error?.underlyingError as? HTTPError)?.kind == .connectionFailed)
  }

  @Test("A cancelled call throws CancellationError")
  func cancellation() async throws {
    struct Hanging: ClientTransport {
      func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        try await waitForCancellation()
        return (HTTPResponse(status: .ok), .empty)
      }
    }
    let client = try client(Hanging())
    let call = Task { try await client.from("t").select().execute() }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }
}

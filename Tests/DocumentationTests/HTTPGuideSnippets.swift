// The snippets of docs/guides/http.md. `Logger` stands in for swift-log's, whose package is not a dependency: the members
// that the bridge uses have the same declarations.
import FoundationEssentials
import PostgREST
import SwiftwaterStreams
import Testing

private struct Logger: Sendable {
  enum Level: String, Sendable { case trace, debug, info, notice, warning, error, critical }
  struct Message: ExpressibleByStringInterpolation, Sendable {
    let text: String

    init(stringLiteral value: String) { text = value }
  }
  enum MetadataValue: Sendable { case string(String) }

  let label: String
  var logLevel = Level.info
  let lines = LockIsolated<[String]>([])

  init(label: String) { self.label = label }

  func log(
    level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> [String: MetadataValue]? = nil,
    source: @autoclosure () -> String? = nil
  ) {
    let line = "\(level) \(source() ?? ""): \(message().text) \(metadata()?.keys.sorted() ?? [])"
    lines.withLock { $0.append(line) }
  }
}

private struct SwiftLogHandler: ClientLogHandler {
  let logger: Logger

  func log(_ record: LogRecord) {
    logger.log(
      level: Logger.Level(rawValue: "\(record.level)") ?? .info, "\(record.message)",
      metadata: record.metadata.mapValues { .string($0) }, source: record.label)
  }
}

extension ClientLogger {
  /// A logger that tells swift-log what its logger wants to hear.
  fileprivate init(_ logger: Logger) {
    self.init(
      label: logger.label, level: Level.allCases.first { "\($0)" == logger.logLevel.rawValue },
      handler: SwiftLogHandler(logger: logger))
  }
}

private struct Echo: ClientTransport {
  let seen = LockIsolated<[HTTPRequest]>([])

  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
    seen.withLock { $0.append(request) }
    return (HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"]), body ?? HTTPBody("[]"))
  }
}

@Suite("Snippets of the HTTP guide")
struct HTTPGuideSnippets {
  @Test("A file goes up with its progress told, and what comes back is read in chunks or events")
  func bodies() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    try Data("data: a\n\n".utf8).write(to: url)
    let client = HTTPClient(configuration: .init(transport: Echo()))
    var request = HTTPRequest(method: .post)
    request.retry = .always  // a POST that only reads
    var received = 0
    do {
      let file = try await HTTPBody.file(at: url)
      let upload = file.reportingProgress { progress in print(progress.completedBytes, progress.totalBytes ?? 0) }
      let (response, content) = try await client.send(request, body: upload)
      for try await chunk in content { received += chunk.count }
      #expect(response.status == .ok)
    }
    #expect(received == 9)
    let (response, content) = try await client.send(request, body: HTTPBody.file(at: url))
    for try await event in content.serverSentEvents(of: response) { print(event.event, event.data) }
  }

  @Test("Records reach swift-log with level, label and facts")
  func bridge() async throws {
    var logger = Logger(label: "io.supabase.postgrest")
    logger.logLevel = .trace  // traffic too
    let url = try #require(URL(string: "http://host"))
    var configuration = PostgrestClient.Configuration(url: url, http: .init(transport: Echo()))
    configuration.logger = ClientLogger(logger)
    configuration.logger.log(.warning, "The key is of an unknown kind", metadata: ["key": "x"])
    #expect(logger.lines.value == [#"warning io.supabase.postgrest: The key is of an unknown kind ["key"]"#])
    _ = try await PostgrestClient(configuration: configuration).from("todos").select().execute()
    #expect(logger.lines.value.contains { $0.hasPrefix("trace io.supabase.postgrest: HTTP request") })
    logger.logLevel = .error
    #expect(!ClientLogger(logger).isEnabled(.warning))
  }

  @Test("The trace goes along")
  func tracing() async throws {
    let incoming = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let transport = Echo()
    let url = try #require(URL(string: "http://host"))
    let client = PostgrestClient(configuration: .init(url: url, http: .init(transport: transport)))
    var todos: [Int] = []
    try await TraceContext.$current.withValue(TraceContext(traceparent: incoming)) {
      todos = try await client.from("todos").select().execute().value
    }
    #expect(todos.isEmpty)
    #expect(transport.seen.value.first?.headerFields[.traceparent] == incoming)
  }
}

import FoundationEssentials
import SwiftwaterStreams
import Testing

@testable import SwiftwaterHTTP

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Logging")
struct ClientLoggerTests {
  private final class Recorder: ClientLogHandler {
    let records = LockIsolated<[LogRecord]>([])

    func log(_ record: LogRecord) { records.withLock { $0.append(record) } }
  }

  private struct Transport: ClientTransport {
    let answer: @Sendable () throws -> HTTPResponse

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
      (try answer(), .empty)
    }
  }

  @Test("Records below the level cost nothing and reach nobody; the others arrive redacted")
  func levels() {
    let recorder = Recorder()
    let logger = ClientLogger(
      label: "io.supabase.test", level: .notice, metadata: ["client": "a", "x": "a"], handler: recorder)
    func forbidden() -> [String: String] {
      Issue.record("asked for metadata of a record that nobody wants")
      return [:]
    }
    logger.log(.info, "nothing", metadata: forbidden())
    logger.log(.warning, "something", metadata: ["token": "s3cret", "x": "b"])
    #expect(
      recorder.records.value == [
        LogRecord(
          level: .warning, label: "io.supabase.test", message: "something",
          metadata: ["client": "a", "token": "<redacted>", "x": "b"])
      ])
    #expect(!ClientLogger.disabled.isEnabled(.critical))
  }

  @Test("Traffic is told at trace, with no secret of request or response")
  func traffic() async throws {
    let recorder = Recorder()
    let client = HTTPClient(
      configuration: .init(
        transport: Transport { HTTPResponse(status: .created, headerFields: [.location: "/a?token=s3cret"]) }),
      headerFields: [.authorization: "Bearer s3cret", .accept: "text/csv"],
      logger: ClientLogger(label: "l", level: .trace, handler: recorder))
    _ = try await client.send(
      HTTPRequest(method: .post, scheme: "https", authority: "host", path: "/p?apikey=s3cret"), body: HTTPBody("s3cret")
    )
    let records = recorder.records.value
    #expect(records.map(\.message) == ["HTTP request", "HTTP response"])
    #expect(records.allSatisfy { $0.level == .trace && $0.metadata["url"] == "https://host/p?<redacted>" })
    #expect(records[0].metadata["header.accept"] == "text/csv")
    #expect(records[1].metadata["status"] == "201")
    #expect(records.allSatisfy { !"\($0)".contains("s3cret") })
  }

  @Test("A failed call is told at error by kind, not by others' words; cancellation is no failure")
  func failure() async {
    let recorder = Recorder()
    let logger = ClientLogger(label: "l", level: .error, handler: recorder)
    let failing = HTTPClient(
      configuration: .init(transport: Transport { throw HTTPError(kind: .tls, message: "s3cret") }), logger: logger)
    await #expect(throws: HTTPError.self) { _ = try await failing.send(HTTPRequest(method: .get, path: "/x?k=s3cret")) }
    let cancelled = HTTPClient(
      configuration: .init(transport: Transport { throw CancellationError() }), logger: logger)
    await #expect(throws: CancellationError.self) { _ = try await cancelled.send(HTTPRequest(method: .get)) }
    #expect(
      recorder.records.value == [
        LogRecord(
          level: .error, label: "l", message: "HTTP request failed",
          metadata: ["method": "GET", "path": "/x?<redacted>", "error": "tls"])
      ])
  }

  @Test("A client that is given no logger tells on standard error what SWIFTWATER_LOG asks for")
  func environment() async throws {
    // In a process of its own: the variable is read once.
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      setenv("SWIFTWATER_LOG", "swiftwater.http=trace", 1)
      let client = HTTPClient(configuration: .init(transport: Transport { HTTPResponse(status: .created) }))
      _ = try await client.send(HTTPRequest(method: .get, scheme: "https", authority: "host", path: "/p?token=s3cret"))
    }
    let lines = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(lines.contains("trace swiftwater.http: HTTP request"), "\(lines)")
    #expect(lines.contains("status=201"))
    #expect(!lines.contains("s3cret"))
  }

  @Test("SWIFTWATER_LOG names a level, and levels for labels that begin so")
  func filter() {
    #expect(LogFilter("").level(for: "x") == nil)
    #expect(LogFilter("debug").level(for: "x") == .debug)
    #expect(LogFilter("nonsense,io=").level(for: "io.supabase") == nil)
    let filter = LogFilter("warning,io.supabase=info,io.supabase.auth=trace,io.supabase.storage=off")
    #expect(filter.level(for: "firebase.auth") == .warning)
    #expect(filter.level(for: "io.supabase.realtime") == .info)
    #expect(filter.level(for: "io.supabase.auth") == .trace)
    #expect(filter.level(for: "io.supabase.storage") == nil)
  }

  @Test("A line holds time, level, label, message and facts, and no value can break out of it")
  func line() {
    let record = LogRecord(
      level: .error, label: "l", message: "It failed", metadata: ["b": "1\n2\u{1B}[31m", "a": "x"])
    let date = Date(timeIntervalSince1970: 0.5)
    #expect(
      StandardErrorLogHandler.line(for: record, at: date, usesColour: false)
        == "1970-01-01T00:00:00.5Z error l: It failed a=x b=1\u{FFFD}2\u{FFFD}[31m")
    #expect(StandardErrorLogHandler.line(for: record, at: date, usesColour: true).contains("\u{1B}[31merror\u{1B}[0m"))
  }
}

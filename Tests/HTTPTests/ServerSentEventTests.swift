import SwiftwaterHTTP
import SwiftwaterStreams
import Testing

@Suite("Server-sent events")
struct ServerSentEventTests {
  private static func parse(_ text: String) throws -> [ServerSentEvent] {
    var parser = ServerSentEventParser()
    return try parser.parse(Array(text.utf8))
  }

  @Test(
    "Streams are read as the standard says",
    arguments: [
      ("data: a\n\n", [ServerSentEvent(data: "a")]),
      ("data:a\ndata\ndata: b\n\n", [ServerSentEvent(data: "a\n\nb")]),
      ("data:  two spaces\n\n", [ServerSentEvent(data: " two spaces")]),
      ("event: put\ndata: {}\n\n", [ServerSentEvent(event: "put", data: "{}")]),
      ("event: put\n\ndata: x\n\n", [ServerSentEvent(data: "x")]),
      (
        "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
        [ServerSentEvent(id: "7", data: "a"), ServerSentEvent(id: "7", data: "b"), ServerSentEvent(id: "", data: "c")]
      ),
      ("id: a\0b\ndata: x\n\n", [ServerSentEvent(data: "x")]),
      (
        "retry: 3000\ndata: a\n\nretry: 3x\ndata: b\n\n",
        [ServerSentEvent(data: "a", retry: .seconds(3)), ServerSentEvent(data: "b")]
      ),
      (": comment\n:\nnonsense: x\n\ndata: a\n\n", [ServerSentEvent(data: "a")]),
      ("data: a\r\rdata: b\r\n\r\ndata: c\n\r\n", ["a", "b", "c"].map { ServerSentEvent(data: $0) }),
      ("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", [ServerSentEvent(data: "a")]),
      ("data: cut short", []), ("data: cut short\n", []), ("", []), ("\n\n\n", []), ("event: x\n\n", []),
      ("data\n\n", [ServerSentEvent(data: "")]), ("data: ü🌊\n\n", [ServerSentEvent(data: "ü🌊")]),
      ("retry: 99999999999999999999\ndata: a\n\n", [ServerSentEvent(data: "a")]),
    ])
  func reads(text: String, events: [ServerSentEvent]) throws {
    #expect(try Self.parse(text) == events)
    // The same from every two chunks, and byte by byte.
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var parser = ServerSentEventParser()
      #expect(try parser.parse(bytes[..<cut]) + parser.parse(bytes[cut...]) == events, "cut at \(cut)")
    }
    var parser = ServerSentEventParser()
    #expect(try bytes.flatMap { try parser.parse([$0]) } == events)
  }

  @Test("An event beyond the limit is refused, whether by its lines or by its number of them")
  func limit() {
    for text in ["data: 12345678901234567890", String(repeating: "data: 12345\n", count: 10)] {
      #expect(throws: HTTPError.self) {
        var parser = ServerSentEventParser(maximumEventBytes: 16)
        _ = try parser.parse(Array(text.utf8))
      }
    }
  }

  @Test("Events that are complete before one that is too big are delivered, however the network cuts")
  func completeBeforeLimit() throws {
    var parser = ServerSentEventParser(maximumEventBytes: 16)
    #expect(try parser.parse(Array("data: a\n\ndata: 12345678901234567890".utf8)).map(\.data) == ["a"])
    #expect(throws: HTTPError.self) { try parser.parse([]) }
  }

  @Test("A body gives its events as they arrive, and its error after them")
  func body() async throws {
    let chunks = LockIsolated<ArraySlice<String>>(["data: a\n\nda", "ta: b\n\ndata: c\n\n", "data: cut"])
    let body = HTTPBody {
      guard let chunk = chunks.withLock({ $0.popFirst() }) else { throw HTTPError(kind: .connectionLost, message: "") }
      return Array(chunk.utf8)
    }
    var seen: [String] = []
    await #expect(throws: HTTPError.self) {
      for try await event in body.serverSentEvents(of: Self.head("text/event-stream; charset=utf-8")) {
        seen.append(event.data)
      }
    }
    #expect(seen == ["a", "b", "c"])
  }

  private static func head(_ type: String?, _ status: HTTPResponse.Status = .ok) -> HTTPResponse {
    HTTPResponse(status: status, headerFields: type.map { [.contentType: $0] } ?? [:])
  }

  @Test(
    "An answer that is no event stream says so at once, and its body is left to be read",
    arguments: [
      (head("application/json"), "200 OK, application/json"), (head(nil), "200 OK, no type"),
      (head("text/event-stream", .unauthorized), "401 Unauthorized, text/event-stream"),
      (head("text/event-streams"), "200 OK, text/event-streams"), (head(nil, .noContent), "204 No Content, no type"),
    ])
  func noEventStream(response: HTTPResponse, words: String) async throws {
    let chunks = LockIsolated<ArraySlice<String>>(["data: a\n\n"])
    let body = HTTPBody { chunks.withLock { $0.popFirst() }.map { Array($0.utf8) } }
    let error = await #expect(throws: HTTPError.self) {
      for try await _ in body.serverSentEvents(of: response) { Issue.record("an event of \(words)") }
    }
    #expect(error?.kind == .invalidResponse)
    #expect(error?.message == "The answer is no event stream: \(words).")
    #expect(try await body.collect(upTo: 100) == Array("data: a\n\n".utf8))
  }

  @Test(
    "The type is read without regard to case and parameters",
    arguments: ["TEXT/Event-Stream", "text/event-stream ;a=b"])
  func types(type: String) async throws {
    var events = HTTPBody("data: a\n\n").serverSentEvents(of: Self.head(type)).makeAsyncIterator()
    #expect(try await events.next() == ServerSentEvent(data: "a"))
    #expect(try await events.next() == nil)
  }
}

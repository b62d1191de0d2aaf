import Foundation
import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterStreams
import Testing

@Suite("The checklist of PostgREST")
struct WireTests {
  @Test("Each case has a name of its own")
  func list() {
    #expect(Set(WireCase.all.map(\.name)).count == WireCase.all.count)
  }

  @Test("What goes over the wire", arguments: WireCase.all)
  func request(_ expected: WireCase) async throws {
    let transport = RecordingTransport()
    let url = try #require(URL(string: "http://h"))
    // Nothing fits the answer here; the request is what counts.
    _ = try? await expected.run(PostgrestClient(configuration: .init(url: url, http: .init(transport: transport))))
    let sent = try #require(transport.exchanges.value.first)
    let target = try #require(sent.request.path.removingPercentEncoding)
    #expect("\(sent.request.method.rawValue) \(target)" == expected.request)
    for (name, value) in expected.fields {
      let name = try #require(HTTPField.Name(name))
      #expect(sent.request.headerFields[values: name] == (value.map { [$0] } ?? []), "\(name)")
    }
    #expect(try json(sent.body) == json(expected.body))
  }

  @Test("What the backend answers")
  func answers() async throws {
    try await SharedCluster.withDatabase { url in
      let backend = try await LocalBackend.start(.init(storage: .database(url), preparesDatabase: true))
      do {
        try await backend.execute(Library.schema)
        let client = PostgrestClient(
          configuration: .init(url: backend.restURL, headers: [.apikey: backend.serviceRoleKey]))
        for expected in WireCase.all {
          try await backend.execute(Library.rows)
          let difference = await difference(expected, client)
          #expect(difference == nil, "\(expected.name)")
        }
      } catch {
        Issue.record(error)
      }
      await backend.stop()
    }
  }

  /// Texts that are made of the syntax that they stand in.
  private static let hostile: [String] = [
    "", ",", "a,b", "(", ")", "a)", ")&id=gt.0", "\"", "\"a\"", "a\"b", "\\", "\\\"", "{", "}", "{a}", "[", "null",
    "NULL",
    " ", " a ", "a\tb", "a\nb", "'", "--", "%", "*", "+", "&", "=", "#", ".", "eq.a", "not.null", "\"\u{301}",
    "\u{1F6F6}",
  ]

  @Test("Texts that are made of the request's syntax find themselves, and nothing else")
  func hostileTexts() async throws {
    try await SharedCluster.withDatabase { url in
      let backend = try await LocalBackend.start(.init(storage: .database(url), preparesDatabase: true))
      do {
        try await backend.execute("create table t (id int primary key, text text)")
        let table = PostgrestClient(
          configuration: .init(url: backend.restURL, headers: [.apikey: backend.serviceRoleKey])
        ).from("t")
        let rows = Self.hostile.enumerated().map { ["id": .integer($0), "text": .string($1)] as JSONObject }
        try await table.insert(rows).execute()
        for (id, text) in Self.hostile.enumerated() {
          let found = "[{\"id\":\(id)}]"
          #expect(try await table.select("id").eq("text", value: text).execute().string == found, "\(text)")
          #expect(try await table.select("id").in("text", values: [text]).execute().string == found, "\(text)")
          let either = table.select("id").or([.eq("text", value: text), .eq("id", value: -1)])
          #expect(try await either.execute().string == found, "\(text)")
          let listed = table.select("id").or([.in("text", values: [text])])
          #expect(try await listed.execute().string == found, "\(text)")
        }
        let others = try await table.select("id").notIn("text", values: Self.hostile).execute().string
        #expect(others == "[]")
      } catch {
        Issue.record(error)
      }
      await backend.stop()
    }
  }

  /// What came instead of the expected answer; nil if that came.
  private func difference(_ expected: WireCase, _ client: PostgrestClient) async -> String? {
    do {
      switch expected.answer {
      case .notCompared: return nil
      case .json(let text):
        let answer = try await expected.run(client)
        return try json(answer) == json(text) ? nil : answer
      case .text(let text):
        let answer = try await expected.run(client)
        return answer == text ? nil : answer
      case .refusal:
        return try await "No refusal: \(expected.run(client))"
      }
    } catch {
      guard case .refusal(let code) = expected.answer, code == (error as? PostgrestError)?.code else {
        return "\(error)"
      }
      return nil
    }
  }

  private func json(_ text: String?) throws -> JSONValue? {
    try text.map { try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) }
  }
}

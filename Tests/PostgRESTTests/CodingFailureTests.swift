import Foundation
import PostgREST
import SwiftwaterStreams
import Testing

@Suite("What cannot be coded")
struct CodingFailureTests {
  private struct Author: Decodable {
    enum Rank: String, Decodable { case high }
    var name: String
    var rank: Rank?
    var born: Date?
  }

  private struct Book: Decodable {
    var id: Int
    var authors: [Author]
  }

  private func client(_ body: String) throws -> PostgrestClient {
    PostgrestClient(
      configuration: .init(
        url: try #require(URL(string: "http://h")), http: .init(transport: RecordingTransport(body: body))))
  }

  @Test(
    "The error tells the place and nothing that stands there",
    arguments: [
      (#"[{"id":1,"authors":[]},{"id":"secret"}]"#, "at [1].id is no Int"),
      (
        #"[{"id":1,"authors":[{"name":"a"},{"name":null,"x":"secret"}]}]"#, "at [0].authors[1].name is null, not String"
      ),
      (#"[{"id":1,"authors":[{"x":"secret"}]}]"#, #"at [0].authors[0] is no member "name""#),
      (#"[{"id":1,"authors":[{"name":"a","rank":"secret"}]}]"#, "the value at [0].authors[0].rank cannot be read"),
      (#"[{"id":1,"authors":[{"name":"a","born":"secret"}]}]"#, "the value at [0].authors[0].born cannot be read"),
      (#"{"secret":1}"#, "at the top is no Array<Any>"),
      ("<html>secret", "the value at the top cannot be read"),
      ("", "it has no body. Ask for rows by select(), or execute without a value"),
    ])
  func decoding(body: String, reason: String) async throws {
    let client = try client(body)
    let error = try #require(
      await #expect(throws: PostgrestError.self) {
        let _: [Book] = try await client.from("t").select().execute().value
      })
    #expect(error.kind == .decoding)
    #expect(error.message == "The answer does not fit Array<Book>: \(reason).")
    #expect(!"\(error) \(error.localizedDescription) \(String(reflecting: error))".contains("secret"))
    #expect(error.underlyingError is DecodingError)
    #expect(error.response?.body == Array(body.utf8))
    #expect(error.status == 200)
  }

  @Test("Of a body that does not fit, a mebibyte is kept")
  func bounded() async throws {
    let client = try client("\"" + String(repeating: "x", count: 2 << 20))
    let error = await #expect(throws: PostgrestError.self) {
      let _: [Book] = try await client.from("t").select().execute().value
    }
    #expect(error?.response?.body.count == 1 << 20)
  }

  @Test("What a type's own decoder throws is kept, not printed")
  func ownError() async throws {
    struct Secret: Error, CustomStringConvertible { var description = "secret" }
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws { throw Secret() }
    }
    let client = try client("1")
    let error = try #require(
      await #expect(throws: PostgrestError.self) { let _: Picky = try await client.rpc("f").execute().value })
    #expect(error.message == "The answer does not fit Picky: its decoder threw Secret.")
    #expect(error.underlyingError is Secret)
  }

  @Test("Values that cannot be encoded are refused before anything is sent, without being printed")
  func encoding() async throws {
    struct Row: Encodable { var secret: [Double] }
    let table = try client("[]").from("t")
    let refused: [() throws -> Void] = [
      { _ = try table.insert(Row(secret: [1, .infinity])) }, { _ = try table.update(Row(secret: [1, .infinity])) },
      { _ = try table.upsert(Row(secret: [1, .infinity])) },
    ]
    for attempt in refused {
      let error = try #require(#expect(throws: PostgrestError.self) { try attempt() })
      #expect(error.kind == .invalidRequest)
      #expect(error.message == "The values cannot be encoded as JSON: at secret[1].")
      #expect(error.underlyingError is EncodingError)
    }
  }

  @Test("Arguments that no address can hold are refused")
  func arguments() async throws {
    let client = try client("1")
    for attempt: () throws -> Void in [
      { _ = try client.rpc("f", params: [1, 2], get: true) },
      { _ = try client.rpc("f", params: ["a": JSONValue.null], head: true) },
      { _ = try client.rpc("f", params: ["a": Double.infinity]) },
    ] {
      let error = #expect(throws: PostgrestError.self) { try attempt() }
      #expect(error?.kind == .invalidRequest)
    }
  }

  @Test("Arguments in an address have the text of their types")
  func addresses() async throws {
    let transport = RecordingTransport()
    let client = PostgrestClient(
      configuration: .init(url: try #require(URL(string: "http://h")), http: .init(transport: transport)))
    let arguments: JSONObject = [
      "b": true, "d": 0.5, "i": 7, "j": ["k": [1, nil]], "l": ["a,b", nil, "null", [1, 2], ["k": "v"]], "s": "a&b",
    ]
    try await client.rpc("f", params: arguments, get: true).execute()
    let path = try #require(transport.exchanges.value.first?.request.path)
    #expect(path.hasSuffix("&s=a%26b"))
    #expect(
      path.removingPercentEncoding
        == #"/rpc/f?b=true&d=0.5&i=7&j={"k":[1,null]}&l={"a,b",NULL,"null",{1,2},"{\"k\":\"v\"}"}&s=a&b"#)
  }

  @Test("Groups of no conditions, and nulls stripped of what has none, are refused before anything is sent")
  func impossible() async throws {
    let transport = RecordingTransport()
    let client = PostgrestClient(
      configuration: .init(url: try #require(URL(string: "http://h")), http: .init(transport: transport)))
    let rows = client.from("t").select()
    for query in [
      rows.or([PostgrestCondition]()), rows.and([PostgrestCondition]()), rows.not(.or([])),
      rows.or([.eq("a", value: 1), .and([])]),
    ] {
      let error = await #expect(throws: PostgrestError.self) { try await query.execute() }
      #expect(error?.kind == .invalidRequest)
    }
    for query in [rows.csv().stripNulls(), rows.stripNulls().geojson()] {
      let error = await #expect(throws: PostgrestError.self) { try await query.execute() }
      #expect(error?.kind == .invalidRequest)
    }
    #expect(transport.exchanges.value.isEmpty)
  }
}

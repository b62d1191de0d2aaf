import Foundation
import PostgREST
import SwiftwaterStreams
import Testing

@Suite("Requests on the wire")
struct PostgrestRequestTests {
  private struct Todo: Codable, Equatable {
    var id: Int
    var task: String
  }

  /// What one request looks like to the server.
  private func sent(
    schema: String? = nil, headers: HTTPFields = [.apikey: "key"],
    _ run: (PostgrestClient) async throws -> Void
  ) async throws -> RecordingTransport.Exchange {
    let transport = RecordingTransport()
    let client = PostgrestClient(
      configuration: .init(
        url: try #require(URL(string: "http://example.test:8080/rest/v1/")), schema: schema, headers: headers,
        http: .init(transport: transport)))
    try await run(client)
    return try #require(transport.exchanges.value.first)
  }

  @Test("A selection with filters, order and limits")
  func select() async throws {
    let exchange = try await sent {
      try await $0.from("todos").select("id, task").eq("id", value: 7).neq("task", value: "a&b=c +d%")
        .order("due", ascending: false).order("id", nullsFirst: true).limit(10).offset(20).execute()
    }
    #expect(exchange.request.method == .get)
    #expect(exchange.request.scheme == "http")
    #expect(exchange.request.authority == "example.test:8080")
    #expect(
      exchange.request.path == "/rest/v1/todos?select=id,task&id=eq.7&task=neq.a%26b%3Dc%20%2Bd%25"
        + "&order=due.desc.nullslast,id.asc.nullsfirst&limit=10&offset=20")
    #expect(exchange.body == nil)
  }

  @Test("Any range can be asked for, however far it goes")
  func ranges() async throws {
    for (from, to, expected) in [
      (0, 9, "offset=0&limit=10"), (5, Int.max, "offset=5&limit=9223372036854775803"),
      (0, Int.max, "offset=0&limit=9223372036854775807"), (3, 1, "offset=3&limit=-1"),
      (Int.max, Int.min, "offset=9223372036854775807&limit=-9223372036854775808"),
    ] {
      let exchange = try await sent { try await $0.from("t").select().range(from: from, to: to).execute() }
      #expect(exchange.request.path == "/rest/v1/t?select=*&\(expected)")
    }
  }

  @Test("Every comparison has its operator, and repeated filters all stay")
  func comparisons() async throws {
    let exchange = try await sent {
      try await $0.from("t").select().gt("a", value: 1).gte("a", value: 2.5).lt("a", value: true)
        .lte("a", value: "x").is("b", value: nil).is("c", value: false).execute()
    }
    #expect(
      exchange.request.path
        == "/rest/v1/t?select=*&a=gt.1&a=gte.2.5&a=lt.true&a=lte.x&b=is.null&c=is.false")
  }

  @Test("Elements of a list are quoted where they need it, single values never")
  func quoting() async throws {
    let exchange = try await sent {
      try await $0.from("t").select().in("a", values: ["x", "y,z", "", #"q"\"#, "null"]).eq("b", value: "y,z").execute()
    }
    let query = try #require(exchange.request.path.split(separator: "?").last?.removingPercentEncoding)
    #expect(query == #"select=*&a=in.(x,"y,z","","q\"\\","null")&b=eq.y,z"#)
  }

  @Test("Dates, identifiers and infinities are written as PostgreSQL reads them")
  func values() async throws {
    let id = try #require(UUID(uuidString: "8F1B3C9A-0000-4000-8000-00000000000F"))
    let exchange = try await sent {
      try await $0.from("t").select().eq("a", value: Date(timeIntervalSince1970: 0.5)).eq("b", value: id)
        .eq("c", value: -Double.infinity).execute()
    }
    #expect(
      exchange.request.path
        == "/rest/v1/t?select=*&a=eq.1970-01-01T00:00:00.5Z&b=eq.8f1b3c9a-0000-4000-8000-00000000000f&c=eq.-Infinity")
  }

  @Test("Insertions post JSON and say what comes back")
  func insert() async throws {
    let exchange = try await sent {
      try await $0.from("todos").insert([Todo(id: 1, task: "x")], count: .exact).select("id").execute()
    }
    #expect(exchange.request.method == .post)
    #expect(exchange.request.path == "/rest/v1/todos?columns=%22id%22,%22task%22&select=id")
    #expect(exchange.request.headerFields[.prefer] == "count=exact, return=representation")
    #expect(exchange.request.headerFields[.contentType] == "application/json")
    let body = try #require(exchange.body)
    #expect(try JSONDecoder().decode([Todo].self, from: Data(body.utf8)) == [Todo(id: 1, task: "x")])
  }

  @Test("A bulk insertion names the columns of all its rows, a single one none")
  func bulkColumns() async throws {
    struct Row: Encodable {
      var id: Int
      var note: String?
    }
    let bulk = try await sent { try await $0.from("t").insert([Row(id: 1), Row(id: 2, note: "x")]).execute() }
    #expect(bulk.request.path == "/rest/v1/t?columns=%22id%22,%22note%22")
    let one = try await sent { try await $0.from("t").insert(Row(id: 1, note: "x")).execute() }
    #expect(one.request.path == "/rest/v1/t")
    let none = try await sent { try await $0.from("t").insert([Row]()).execute() }
    #expect(none.request.path == "/rest/v1/t")
  }

  @Test("An insertion asks for nothing back unless told; changes and removals return their rows")
  func defaults() async throws {
    let insert = try await sent { try await $0.from("t").insert(Todo(id: 1, task: "")).execute() }
    #expect(insert.request.headerFields[.prefer] == nil)
    let update = try await sent { try await $0.from("t").update(["a": 1]).eq("id", value: 1).execute() }
    #expect(update.request.method == .patch)
    #expect(update.request.headerFields[.prefer] == "return=representation")
    #expect(update.request.path == "/rest/v1/t?id=eq.1")
    let delete = try await sent { try await $0.from("t").delete(returning: .minimal).eq("id", value: 1).execute() }
    #expect(delete.request.method == .delete)
    #expect(delete.request.headerFields[.prefer] == "return=minimal")
  }

  @Test("The call's field wins over the configured one, which wins over the SDK's")
  func fieldPrecedence() async throws {
    let plain = try await sent { try await $0.from("t").select().execute() }
    #expect(plain.request.headerFields[.authorization] == "Bearer key")
    #expect(plain.request.headerFields[.apikey] == "key")
    #expect(plain.request.headerFields[.xClientInfo]?.hasPrefix("supabase-swift/") == true)
    let configured = try await sent(headers: [.apikey: "key", .authorization: "Bearer user", .accept: "text/csv"]) {
      try await $0.from("t").select().setHeader(name: "accept", value: "application/json").execute()
    }
    #expect(configured.request.headerFields[.authorization] == "Bearer user")
    #expect(configured.request.headerFields[values: .accept] == ["application/json"])
  }

  @Test("What a call asks for wins over a configured field, and its own field over that")
  func formatPrecedence() async throws {
    let csv = [.accept: "text/csv"] as HTTPFields
    let plain = try await sent(headers: csv) { try await $0.from("t").select().execute() }
    #expect(plain.request.headerFields[.accept] == "text/csv")
    let single = try await sent(headers: csv) { try await $0.from("t").select().single().execute() }
    #expect(single.request.headerFields[.accept] == "application/vnd.pgrst.object+json")
    let own = try await sent {
      try await $0.from("t").select().single().setHeader(name: "Accept", value: "text/xml").execute()
    }
    #expect(own.request.headerFields[values: .accept] == ["text/xml"])
  }

  @Test("A wish of the caller's own stands before the builder's")
  func ownPreference() async throws {
    let exchange = try await sent {
      try await $0.from("t").select(count: .exact).setHeader(name: "Prefer", value: "handling=lenient").execute()
    }
    #expect(exchange.request.headerFields[values: .prefer] == ["handling=lenient, count=exact"])
  }

  @Test("A schema is named by the field that fits the method")
  func schema() async throws {
    let read = try await sent(schema: "private") { try await $0.from("t").select(head: true).execute() }
    #expect(read.request.method == .head)
    #expect(read.request.headerFields.contains { $0.name.canonicalName == "accept-profile" && $0.value == "private" })
    let write = try await sent { try await $0.schema("other").from("t").delete().execute() }
    #expect(write.request.headerFields.contains { $0.name.canonicalName == "content-profile" && $0.value == "other" })
  }

  @Test("White space between columns goes, that of quoted names stays")
  func columnNames() async throws {
    for (columns, expected) in [
      ("\n  id,\n  who : name ::text", "id,who:name::text"), (#"id, "odd  name" , x"#, #"id,"odd  name",x"#),
      (#""a \" b" , c"#, #""a \" b",c"#), (#""a \\" , "b c""#, #""a \\","b c""#),
      ("\"\u{301} a\" , b", "\"\u{301} a\",b"), ("", ""),
    ] {
      let exchange = try await sent { try await $0.from("t").select(columns).execute() }
      #expect(exchange.request.path.removingPercentEncoding == "/rest/v1/t?select=\(expected)")
    }
  }

  @Test("Table names stay inside their path segment")
  func hostileTable() async throws {
    let exchange = try await sent { try await $0.from("a/b?c=d#é").select().execute() }
    #expect(exchange.request.path == "/rest/v1/a%2Fb%3Fc%3Dd%23%C3%A9?select=*")
  }

  @Test("A server may be an IPv6 address")
  func addressOfVersion6() async throws {
    let transport = RecordingTransport()
    let client = PostgrestClient(
      configuration: .init(url: try #require(URL(string: "http://[::1]:3000/")), http: .init(transport: transport)))
    try await client.from("t").select().execute()
    #expect(transport.exchanges.value.first?.request.authority == "[::1]:3000")
    #expect(transport.exchanges.value.first?.request.path == "/t?select=*")
  }

  @Test("A time zone's name cannot bring another preference along")
  func hostileZone() async throws {
    for name in ["UTC, tx=rollback", "", "a;b", "Europe/Berlin\""] {
      let transport = RecordingTransport()
      let client = PostgrestClient(
        configuration: .init(url: try #require(URL(string: "http://h/")), http: .init(transport: transport)))
      let error = await #expect(throws: PostgrestError.self) {
        try await client.from("t").select().timezone(name).execute()
      }
      #expect(error?.kind == .invalidRequest)
      #expect(transport.exchanges.value.isEmpty)
    }
  }

  @Test("A header field that HTTP does not allow fails before anything is sent")
  func badHeader() async throws {
    let transport = RecordingTransport()
    let client = PostgrestClient(
      configuration: .init(url: try #require(URL(string: "http://h/")), http: .init(transport: transport)))
    let error = await #expect(throws: PostgrestError.self) {
      try await client.from("t").select().setHeader(name: "X", value: "a\r\nEvil: b").execute()
    }
    #expect(error?.kind == .invalidRequest)
    #expect(transport.exchanges.value.isEmpty)
  }

  @Test("A builder can be kept and continued twice")
  func valueSemantics() async throws {
    let transport = RecordingTransport()
    let client = PostgrestClient(
      configuration: .init(url: try #require(URL(string: "http://h")), http: .init(transport: transport)))
    let base = client.from("t").select()
    try await base.eq("a", value: 1).execute()
    try await base.eq("b", value: 2).execute()
    #expect(transport.exchanges.value.map(\.request.path) == ["/t?select=*&a=eq.1", "/t?select=*&b=eq.2"])
  }
}

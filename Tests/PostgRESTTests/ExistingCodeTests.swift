import Foundation
import PostgREST
import SwiftwaterStreams
import Testing

/// Calls in the ways that supabase-swift 2 and its documents write them: they compile, and mean the same.
@Suite("Code written for supabase-swift")
struct ExistingCodeTests {
  private struct Country: Codable, Equatable {
    var id: Int
    var name: String
  }

  private func paths(
    body: String = "[]", _ calls: (PostgrestClient) async throws -> Void
  ) async throws -> [String] {
    let transport = RecordingTransport(body: body)
    let client = PostgrestClient(
      configuration: PostgrestClient.Configuration(
        url: try #require(URL(string: "http://h")), schema: "public", headers: [.apikey: "key"],
        http: .init(transport: transport), encoder: PostgrestClient.Configuration.jsonEncoder,
        decoder: PostgrestClient.Configuration.jsonDecoder))
    try await calls(client)
    return transport.exchanges.value.compactMap { "\($0.request.method.rawValue) \($0.request.path)" }
      .compactMap(\.removingPercentEncoding)
  }

  @Test("Reading")
  func reading() async throws {
    let sent = try await paths { supabase in
      let countries: [Country] = try await supabase.from("countries").select().execute().value
      #expect(countries.isEmpty)
      let named: [Country] =
        try await supabase
        .from("countries")
        .select(
          """
            id,
            name,
            cities ( name )
          """
        )
        .eq("name", value: "Spain")
        .in("id", values: [1, 2])
        .order("name", ascending: false)
        .limit(10)
        .range(from: 0, to: 9)
        .execute()
        .value
      #expect(named.isEmpty)
      let count = try await supabase.from("countries").select("*", head: true, count: .exact).execute().count
      #expect(count == nil)
      try await supabase.from("countries").select().execute(options: FetchOptions(head: true, count: .estimated))
    }
    #expect(
      sent == [
        "GET /countries?select=*",
        "GET /countries?select=id,name,cities(name)&name=eq.Spain&id=in.(1,2)&order=name.desc.nullslast&limit=10&offset=0",
        "HEAD /countries?select=*", "HEAD /countries?select=*",
      ])
  }

  @Test("Values whose types are only known when the program runs")
  func existentials() async throws {
    let id: any PostgrestFilterValue = 7
    let mixed: [any PostgrestFilterValue] = [1, "two", UUID()]
    let sent = try await paths { supabase in
      let query = supabase.from("t").select().eq("id", value: id).in("id", values: mixed.dropLast())
        .match(["id": 1, "name": "x"])
      try await query.execute()
    }
    #expect(sent == ["GET /t?select=*&id=eq.7&id=in.(1,two)&id=eq.1&name=eq.x"])
  }

  @Test("A query that grows in a variable")
  func variable() async throws {
    let sent = try await paths { supabase in
      var query = supabase.from("t").select()
      for (column, value) in [("a", 1), ("b", 2)] { query = query.eq(column, value: value) }
      let ordered: PostgrestTransformBuilder = query.order("a")
      try await ordered.execute()
      func filtered(_ builder: PostgrestQueryBuilder) -> PostgrestFilterBuilder { builder.select().gt("a", value: 1) }
      try await filtered(supabase.from("u")).execute()
    }
    #expect(sent == ["GET /t?select=*&a=eq.1&b=eq.2&order=a.asc.nullslast", "GET /u?select=*&a=gt.1"])
  }

  @Test("Writing")
  func writing() async throws {
    let sent = try await paths(body: #"{"id":1,"name":"Denmark"}"#) { supabase in
      let country = Country(id: 1, name: "Denmark")
      try await supabase.from("countries").insert(country).execute()
      let inserted: Country = try await supabase.from("countries").insert(country, returning: .representation).single()
        .execute().value
      #expect(inserted == country)
      try await supabase.from("countries").update(["name": "Australia"]).eq("id", value: 1).execute()
      try await supabase.from("countries").upsert(country, onConflict: "id").select().execute()
      try await supabase.from("countries").delete().eq("id", value: 1).execute()
      let row: [String: AnyJSON] = ["name": .string("x"), "note": .null]
      try await supabase.from("countries").update(row).not("id", operator: .is, value: "null").execute()
    }
    #expect(
      sent == [
        "POST /countries", "POST /countries", "PATCH /countries?id=eq.1", "POST /countries?on_conflict=id&select=*",
        "DELETE /countries?id=eq.1", "PATCH /countries?id=not.is.null",
      ])
  }

  @Test("Functions, schemas and shapes")
  func functions() async throws {
    let sent = try await paths(body: "1") { supabase in
      let echoed: Int = try await supabase.rpc("echo", params: ["say": "hello"]).execute().value
      #expect(echoed == 1)
      try await supabase.rpc("hello_world").execute()
      try await supabase.schema("private").rpc("f", params: ["a": 1], get: true, count: .planned).execute()
      let csv = try await supabase.from("t").select().csv().execute().string()
      #expect(csv == "1")
      try await supabase.from("t").select().explain(analyze: true, format: "json").execute()
      try await supabase.from("t").select().or("a.eq.1,b.gt.2", referencedTable: "u").textSearch(
        "c", query: "x", config: "english", type: .websearch
      ).execute()
    }
    #expect(
      sent == [
        "POST /rpc/echo", "POST /rpc/hello_world", "GET /rpc/f?a=1", "GET /t?select=*", "GET /t?select=*",
        "GET /t?select=*&u.or=(a.eq.1,b.gt.2)&c=wfts(english).x",
      ])
  }

  @Test("Errors")
  func errors() async throws {
    let transport = RecordingTransport(
      response: HTTPResponse(status: 409), body: #"{"code":"23505","message":"m","details":"d","hint":"h"}"#)
    let client = PostgrestClient(
      configuration: .init(url: try #require(URL(string: "http://h")), http: .init(transport: transport)))
    do {
      try await client.from("t").insert(["id": 1]).execute()
      Issue.record("It should have thrown.")
    } catch let error as PostgrestError {
      #expect(error.code == "23505" && error.message == "m" && error.hint == "h")
      #expect(error.localizedDescription == "m")
    }
  }
}

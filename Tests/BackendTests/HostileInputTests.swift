import PostgREST
import Testing

@Suite("Hostile input")
struct HostileInputTests {
  private static let sql = #"""
    create table t (id int primary key, name text, data jsonb, parent int references t);
    insert into t values (1, 'one', '{"a":{"b":[1,2]}}', null), (2, E'\'; drop table t; --', null, 1);
    create function headers(value text) returns void language plpgsql as $$
      begin perform set_config('response.headers', value, true); end $$;
    create function status(value text) returns void language plpgsql as $$
      begin perform set_config('response.status', value, true); end $$;
    create function refuse(detail text) returns void language plpgsql as $$
      begin raise sqlstate 'PGRST' using message = '{"code":"X","message":"no"}', detail = detail; end $$;
    create function fail(state text) returns void language plpgsql as $$
      begin raise exception using errcode = state, message = 'no'; end $$;
    create function deep(n int) returns int language plpgsql as $$ begin return deep(n + 1); end $$;
    """#

  private static func nested(_ open: String, _ inner: String, _ close: String, _ depth: Int) -> String {
    String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
  }

  private static func side(_ count: Int) -> String {
    (0..<count).map { "a\($0):t!parent(id)" }.joined(separator: ",")
  }

  /// Queries of the table, each with the statuses that are right.
  private static let queries: [(name: String, query: String, statuses: ClosedRange<Int>)] = [
    ("a quote", "name=eq.'%3B%20drop%20table%20t%3B%20--", 200...200),
    ("a quote in a column", "na'me=eq.1", 400...400),
    ("double quotes", "select=%22na%22%22me%22", 400...400),
    ("a quoted column", "select=%22id%22)%20from%20t%3B--%22", 200...400),
    ("NUL", "name=eq.%00", 400...400),
    ("NUL in a column", "na%00me=eq.1", 400...400),
    ("half a character", "name=eq.%C3", 400...400),
    ("a surrogate", "name=eq.%ED%A0%80", 400...400),
    ("a wrong escape", "name=eq.%zz", 400...400),
    ("an escape as text", #"name=eq.\u0000"#, 200...200),
    ("an escape in JSON", #"data=eq.%22\u0000%22"#, 400...400),
    ("a backslash", #"name=in.(%22\%22)"#, 200...400),
    ("a bidirectional letter", "name=eq.%E2%80%AE", 200...200),
    ("many elements", "id=in.(" + (1...9999).map(String.init).joined(separator: ",") + ")", 200...200),
    ("many empty elements", "name=in.(" + String(repeating: ",", count: 50_000) + ")", 200...200),
    ("a number that is none", "id=in.(" + String(repeating: "9", count: 50_000) + ")", 400...400),
    ("a long name", "select=" + String(repeating: "x", count: 60_000), 400...400),
    ("a long cast", "select=id::" + String(repeating: "x", count: 60_000), 400...400),
    ("many columns", "select=" + Array(repeating: "id", count: 5000).joined(separator: ","), 400...400),
    ("many casts", "select=" + Array(repeating: "id::text", count: 5000).joined(separator: ","), 400...400),
    ("many stars", "select=" + Array(repeating: "*", count: 20_000).joined(separator: ","), 400...400),
    ("many filters", Array(repeating: "id=eq.1", count: 7000).joined(separator: "&"), 200...200),
    ("many parameters", (0..<6000).map { "p\($0)=eq.1" }.joined(separator: "&"), 400...400),
    ("many limits", (0..<4000).map { "e\($0).limit=1" }.joined(separator: "&"), 400...400),
    ("many orders", "order=" + Array(repeating: "id", count: 20_000).joined(separator: ","), 400...400),
    ("a long way into JSON", "select=x:data" + String(repeating: "->a", count: 15_000), 400...400),
    ("a long way into JSON of a filter", "data" + String(repeating: "->a", count: 15_000) + "=is.null", 400...400),
    ("deep conditions", "or=(" + nested("and(", "id.eq.1", ")", 10_000) + ")", 400...400),
    ("deep negations", "and=(" + nested("not.or(", "id.eq.1", ")", 6000) + ")", 400...400),
    ("deep conditions without end", "or=(" + String(repeating: "and(", count: 15_000), 400...400),
    ("conditions as deep as allowed", "or=(" + nested("and(", "id.eq.1", ")", 63) + ")", 200...200),
    ("negations without end", "id=" + String(repeating: "not.", count: 15_000) + "eq.1", 400...400),
    ("negations of a condition", String(repeating: "not.", count: 15_000) + "and=(id.eq.1)", 200...400),
    ("deep embedding", "select=" + nested("t!parent(", "id", ")", 5000), 400...400),
    ("deep embedding without end", "select=" + String(repeating: "t(", count: 30_000), 400...400),
    ("deep spreading", "select=" + nested("...t!parent(", "id", ")", 4000), 400...400),
    ("embedding as deep as allowed", "select=" + nested("t!parent(", "id", ")", 64), 200...200),
    ("embedding side by side", "select=" + (0..<40).map { "a\($0):t!parent(id)" }.joined(separator: ","), 200...413),
    ("too many embeddings side by side", "select=" + side(101), 400...400),
    ("too many embeddings, some in others", "select=" + side(60) + ",p:t!parent(\(side(60)))", 400...400),
    ("as many embeddings as allowed", "select=" + side(99) + ",p:t!parent(id)", 200...200),
    ("parentheses", "select=" + String(repeating: "(", count: 60_000), 400...400),
    ("closing parentheses", "select=id" + String(repeating: ")", count: 60_000), 200...400),
    ("a path of embeddings", String(repeating: "t.", count: 20_000) + "id=eq.1", 400...400),
    ("a large limit", "limit=9223372036854775807&offset=9223372036854775807", 200...200),
    ("a limit beyond", "limit=92233720368547758070", 200...200),
    ("a negative limit", "limit=-1", 416...416),
    ("a large offset", "offset=9223372036854775807", 200...200),
    ("ranges of numbers", "id=eq.9223372036854775808", 400...400),
    ("a pattern that explodes", "name=match.(a*)*b(", 400...400),
    ("a search that is none", "name=fts.%26%26", 400...400),
    ("a language that is none", "name=fts(nowhere).x", 400...400),
    ("an injected language", "name=fts(english'%3B--).x", 400...400),
    ("a combining accent", "name=in.(%CC%81,%CC%81)", 200...200),
  ]

  @Test("Whatever a query says is a query or is refused")
  func queries() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      for (name, query, statuses) in Self.queries {
        for (method, body) in [(.get, nil), (.patch, "{}"), (.delete, nil)] as [(HTTPRequest.Method, String?)] {
          let answer = try await backend.send(
            method, "/rest/v1/t?\(query)", [.prefer: "tx=rollback, return=representation"], body: body)
          if method == .get {
            #expect(statuses.contains(answer.status), "\(name): \(answer.status) \(answer.text.prefix(300))")
          }
          #expect(answer.status < 500, "\(method.rawValue) \(name): \(answer.text.prefix(300))")
        }
      }
      let deep = try await backend.send(.get, "/rest/v1/t?select=" + Self.nested("t!parent(", "id", ")", 65))
      #expect(deep.text.contains("PGRST100"))
      #expect(deep.text.contains("at most 64 levels of parentheses"))
      let wide = try await backend.send(.get, "/rest/v1/t?select=" + Self.side(101))
      #expect(wide.text.contains("PGRST100"))
      #expect(wide.text.contains("at most 100 embedded relations"))
      #expect(try await backend.send(.get, "/rest/v1/t?select=id&order=id").text == "[{\"id\":1}, \n {\"id\":2}]")
    }
  }

  @Test("Ranges that are none are ignored or refused")
  func ranges() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      let range = try #require(HTTPField.Name("Range"))
      for value in [
        "0-9223372036854775807", "9223372036854775807-", "99999999999999999999-1", "5-2", "-1", "--", "0-0-0", "a-b",
        "bytes=0-1", "items=0-1,2-3", "=", "0-", String(repeating: "1", count: 5000) + "-", "-9223372036854775808-1",
      ] {
        let answer = try await backend.send(.get, "/rest/v1/t", [range: value, .prefer: "count=exact"])
        #expect([200, 206, 416].contains(answer.status), "\(value): \(answer.text)")
      }
    }
  }

  private static let bodies: [(name: String, body: String)] = [
    ("nothing", ""), ("no JSON", "{"), ("a number", "1"), ("a text", "\"x\""), ("NUL", "{\"id\":\"\\u0000\"}"),
    ("a raw NUL", "{\"name\":\"\u{0}\"}"), ("a lone surrogate", #"{"name":"\ud800"}"#),
    ("a key with NUL", #"{"na\u0000me":1}"#), ("a long key", #"{"\#(String(repeating: "k", count: 200_000))":1}"#),
    ("a quote in a key", #"{"na\"me":1}"#), ("deep lists", nested("[", "", "]", 500_000)),
    ("deep objects", nested(#"{"a":"#, "1", "}", 300_000)),
    ("a deep value", #"{"id":7,"data":"# + nested("[", "", "]", 300_000) + "}"),
    ("an open end", String(repeating: "[", count: 1_000_000)),
    ("many keys", "{" + (0..<50_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"),
    ("the same key", "{" + (0..<50_000).map { _ in "\"id\":1" }.joined(separator: ",") + "}"),
    ("many rows", "[" + (10..<50_000).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"),
    ("a large number", #"{"id":1e400}"#), ("a long number", #"{"id":\#(String(repeating: "9", count: 100_000))}"#),
    ("a large text", #"{"id":8,"name":"\#(String(repeating: "x", count: 8_000_000))"}"#),
  ]

  @Test("Whatever a body holds is written or is refused")
  func bodies() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      for (name, body) in Self.bodies {
        for target in ["/rest/v1/t", "/rest/v1/t?columns=id,data", "/rest/v1/rpc/headers", "/rest/v1/rpc/missing"] {
          let answer = try await backend.send(.post, target, [.prefer: "tx=rollback"], body: body)
          #expect(answer.status < 500, "\(name) to \(target): \(answer.status) \(answer.text.prefix(300))")
        }
      }
      let large = String(repeating: "x", count: 64 * 1024 * 1024)
      #expect(try await backend.send(.post, "/rest/v1/t", body: large).status == 413)
      let rows = try await backend.send(.get, "/rest/v1/t?select=id&order=id").text
      #expect(rows == "[{\"id\":1}, \n {\"id\":2}]", "\(rows.prefix(300))")
    }
  }

  @Test("A function sets no header that ends another, and no status that ends no exchange")
  func injection() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      func call(_ function: String, _ argument: String, _ value: String) async throws -> TestBackend.Answer {
        let text = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return try await backend.send(.post, "/rest/v1/rpc/\(function)", body: "{\"\(argument)\":\"\(text)\"}")
      }
      for value in [
        #"[{"X-A":"b\r\nSet-Cookie: c"}]"#, #"[{"X-A":"b\nc"}]"#, #"[{"X-A\r\nX-B":"c"}]"#, #"[{"X A":"c"}]"#,
        #"[{"":"c"}]"#, "x", "{}", #"[{"a":"b","c":"d"}]"#,
      ] {
        let answer = try await call("headers", "value", value)
        #expect(answer.status == 500 && answer.text.contains("PGRST111"), "\(value): \(answer.text)")
        #expect(!answer.fields.contains { ["set-cookie", "x-b"].contains($0.name.canonicalName) })
      }
      for value in [#"[{"Content-Length":"7"}]"#, #"[{"Transfer-Encoding":"chunked"}]"#, #"[{"Connection":"close"}]"#] {
        #expect(try await call("headers", "value", value).status == 204, "\(value)")
      }
      for value in ["100", "101", "0", "-1", "1000", "x", "99999999999999999999"] {
        let answer = try await call("status", "value", value)
        #expect(answer.status == 500 && answer.text.contains("PGRST112"), "\(value): \(answer.text)")
      }
      for value in [
        #"{"status":101,"headers":{}}"#, #"{"status":400,"headers":{"X-A":"b\r\nSet-Cookie: c"}}"#,
        #"{"status":400,"headers":{"X-A: b\r\nSet-Cookie":"c"}}"#,
      ] {
        let answer = try await call("refuse", "detail", value)
        #expect(answer.status == 500 && answer.text.contains("PGRST121"), "\(value): \(answer.text)")
        #expect(!answer.fields.contains { $0.name.canonicalName == "set-cookie" })
      }
      #expect(try await call("refuse", "detail", #"{"status":418,"headers":{"X-A":"b"}}"#).status == 418)
      #expect(try await call("fail", "state", "PT101").status == 500)
      // A function's own endless recursion is no fault of the caller's.
      #expect(try await backend.send(.post, "/rest/v1/rpc/deep", body: #"{"n":1}"#).status == 500)
      let inserted = try await backend.send(
        .post, "/rest/v1/t", [.prefer: "return=headers-only"], body: #"{"id":9,"name":"\r\nX-A: b"}"#)
      #expect(inserted.fields[try #require(HTTPField.Name("Location"))] == "/t?id=eq.9")
    }
  }
}

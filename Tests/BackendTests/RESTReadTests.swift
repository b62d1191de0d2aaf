import PostgREST
import SwiftwaterBackend
import SwiftwaterPostgres
import Testing

@Suite("Reading rows over HTTP")
struct RESTReadTests {
  private static let people = #"""
    create table people (id int primary key, name text, age int, born timestamptz, "odd ""name""" text);
    insert into people values
      (1, 'Ada', 36, '1815-12-10T00:00:00Z', 'x'), (2, 'Grace', 85, null, null), (3, 'Edsger', 72, null, 'a,b'),
      (4, null, null, null, 'say "hi"');
    """#

  @Test(
    "Filters find the rows that SQL finds",
    arguments: [
      ("id=eq.1", "[1]"), ("id=neq.1", "[2,3,4]"), ("age=gt.72", "[2]"), ("age=gte.72", "[2,3]"), ("age=lt.72", "[1]"),
      ("age=lte.72", "[1,3]"), ("id=in.(1,3,9)", "[1,3]"), ("id=in.()", "[]"), ("name=is.null", "[4]"),
      ("name=not.is.null", "[1,2,3]"), ("name=is.not_null", "[1,2,3]"), ("age=not.gt.72", "[1,3]"),
      ("age=gt.30&age=lt.80", "[1,3]"),
      (#"%22odd%20%5C%22name%5C%22%22=in.(%22a,b%22,%22say%20%5C%22hi%5C%22%22)"#, "[3,4]"),
      ("name=eq.Ada'%20or%20true--", "[]"), (#"%22odd%20%5C%22name%5C%22%22=eq.x"#, "[1]"),
    ])
  func filters(query: String, expected: String) async throws {
    try await TestBackend.with(Self.people) { backend async throws in
      let answer = try await backend.send(.get, "/rest/v1/people?select=id&order=id&\(query)")
      #expect(answer.status == 200)
      let ids = answer.text.replacing("{\"id\":", with: "").replacing("}", with: "").replacing(" \n", with: "")
        .filter { !$0.isWhitespace }
      #expect(ids == expected)
    }
  }

  @Test("Columns, aliases and casts shape the rows")
  func selection() async throws {
    try await TestBackend.with(Self.people) { backend async throws in
      let answer = try await backend.send(.get, "/rest/v1/people?select=who:name,age::text,born&id=eq.1")
      #expect(answer.text == #"[{"who":"Ada","age":"36","born":"1815-12-10T00:00:00+00:00"}]"#)
      #expect(answer.fields[.contentType] == "application/json; charset=utf-8")
      #expect(try await backend.send(.get, "/rest/v1/people?select=&id=eq.1&limit=0").text == "[]")
    }
  }

  @Test("A quote with a combining accent behind it does not end a name")
  func hostileNames() async throws {
    let sql = "create table t (id int, \"x\"\"\u{301}\" text); insert into t values (1, 'a\"\u{301}')"
    try await TestBackend.with(sql) { backend async throws in
      let accent = "%CC%81"
      let injected = "%22id%22\(accent),%20current_user%20who%20from%20t)%20swiftwater_row%20--%22"
      for query in ["select=\(injected)", "order=\(injected)"] {
        #expect(try await backend.send(.get, "/rest/v1/t?\(query)").status == 400)
      }
      let name = "%22x%5C%22\(accent)%22"
      let found = try await backend.send(.get, "/rest/v1/t?select=id&\(name)=in.(%22a%5C%22\(accent)%22)")
      #expect(found.text == #"[{"id":1}]"#)
      #expect(
        try await backend.send(.post, "/rest/v1/t", body: "{\"x\\\"\u{301}\": \"new\"}").status == 201)
    }
  }

  @Test(
    "A cast is a type and no clause",
    arguments: [
      "text FROM people UNION SELECT rolname FROM pg_roles UNION SELECT NULL", "int AS x", "text COLLATE pg_c",
    ])
  func hostileCast(cast: String) async throws {
    try await TestBackend.with(Self.people) { backend async throws in
      let target = "/rest/v1/people?select=id::\(cast.replacing(" ", with: "%20"))"
      let answer = try await backend.send(.get, target)
      #expect(answer.status == 400)
      #expect(answer.text.contains(#""code":"42601""#))
    }
  }

  @Test("A long answer comes in parts and is what PostgreSQL made of it")
  func longAnswer() async throws {
    let sql = """
      create table letters (id int primary key, text text);
      insert into letters select i, repeat('ä€😀', i % 50) from generate_series(1, 3000) i;
      create function broken(letters) returns int language sql stable as $$ select 1 / (3000 - $1.id) $$;
      grant select on all tables in schema public to service_role;
      """
    try await TestBackend.with(sql) { backend async throws in
      let answer = try await backend.send(.get, "/rest/v1/letters?order=id", [.prefer: "count=exact"])
      #expect(answer.status == 200)
      #expect(answer.fields[.contentRange] == "0-2999/3000")
      #expect(answer.text.utf8.count > 4 * 65_536)
      #expect(answer.fields[.contentLength] == "\(answer.text.utf8.count)")
      let pool = try PostgresPool(backend.backend.databaseConnection)
      let made = try await pool.query("select json_agg(row.*)::text from (select * from letters order by id) row")
      await pool.close()
      #expect(answer.text == made.string(row: 0, column: 0))
      let table = try await backend.send(.get, "/rest/v1/letters?order=id", [.accept: "text/csv"])
      #expect(table.text.split(separator: "\n").count == 3001)
      #expect(table.text.hasSuffix("3000,\"\""))

      let head = try await backend.send(.head, "/rest/v1/letters?order=id")
      #expect(head.status == 200)
      #expect(head.fields[.contentRange] == "0-2999/*")
      // What fails at the last row is no answer that breaks off.
      #expect(try await backend.send(.get, "/rest/v1/letters?select=id,broken&order=id").status == 400)
      #expect(
        try await backend.send(.get, "/rest/v1/letters?offset=4000", [.prefer: "count=exact"]).status == 416)
    }
  }

  @Test("Order, limit and offset; Range as a header")
  func paging() async throws {
    try await TestBackend.with(Self.people) { backend async throws in
      let ordered = try await backend.send(
        .get, "/rest/v1/people?select=id&order=age.desc.nullslast,id&limit=2&offset=1")
      #expect(ordered.text.filter { !$0.isWhitespace } == #"[{"id":3},{"id":1}]"#)
      #expect(ordered.fields[.contentRange] == "1-2/*")
      let ranged = try await backend.send(
        .get, "/rest/v1/people?select=id&order=id", [.range: "0-1", .prefer: "count=exact"])
      #expect(ranged.status == 206)
      #expect(ranged.fields[.contentRange] == "0-1/4")
      #expect(ranged.fields[.preferenceApplied] == "count=exact")
      let beyond = try await backend.send(.get, "/rest/v1/people?offset=9", [.prefer: "count=exact"])
      #expect(beyond.status == 416)
      #expect(beyond.text.contains("PGRST103"))
    }
  }

  @Test("HEAD tells the count without rows")
  func head() async throws {
    try await TestBackend.with(Self.people) { backend async throws in
      let answer = try await backend.send(.head, "/rest/v1/people", [.prefer: "count=exact"])
      #expect(answer.status == 200)
      #expect(answer.text.isEmpty)
      #expect(answer.fields[.contentRange] == "0-3/4")
    }
  }

  @Test("A table that is missing is 404 with the nearest name; a column that is missing is 400")
  func unknownNames() async throws {
    try await TestBackend.with(Self.people) { backend async throws in
      let table = try await backend.send(.get, "/rest/v1/peple")
      #expect(table.status == 404)
      #expect(
        table.text
          == #"{"code":"PGRST205","details":null,"hint":"Perhaps you meant the table 'public.people'","message":"Could not find the table 'public.peple' in the schema cache"}"#
      )
      let column = try await backend.send(.get, "/rest/v1/people?nam=eq.x")
      #expect(column.status == 400)
      #expect(column.text.contains(#""code":"42703""#))
    }
  }

  @Test("Names that differ only in how an accent is written are two")
  func accents() async throws {
    let sql = """
      create table "caf\u{E9}" (id int, "n\u{E9}" text); insert into "caf\u{E9}" values (1);
      create table "cafe\u{301}" (id int); insert into "cafe\u{301}" values (2);
      """
    try await TestBackend.with(sql) { backend async throws in
      #expect(try await backend.send(.get, "/rest/v1/caf%C3%A9?select=id").text == #"[{"id":1}]"#)
      #expect(try await backend.send(.get, "/rest/v1/cafe%CC%81?select=id").text == #"[{"id":2}]"#)
      let answer = try await backend.send(.post, "/rest/v1/caf%C3%A9", body: "{\"ne\u{301}\": \"x\"}")
      #expect(answer.status == 400)
      #expect(answer.text.contains("PGRST204"))
    }
  }

  @Test("A name longer than PostgreSQL's are is not taken for the one that it begins with")
  func overlongName() async throws {
    let name = String(repeating: "n", count: 63)
    try await TestBackend.with("create table \(name) (id int)") { backend async throws in
      #expect(try await backend.send(.get, "/rest/v1/\(name)").status == 200)
      let answer = try await backend.send(.get, "/rest/v1/\(name)n")
      #expect(answer.status == 404)
      #expect(answer.text.contains(#""code":"PGRST205""#) && answer.text.contains(#""hint":null"#))
    }
  }

  @Test("A table made later is found, and a new column can be written at once")
  func schemaChanges() async throws {
    try await TestBackend.with { backend async throws in
      #expect(try await backend.send(.get, "/rest/v1/late").status == 404)
      try await backend.backend.execute("create table late (id int)")
      #expect(try await backend.send(.get, "/rest/v1/late").status == 200)
      try await backend.backend.execute("alter table late add column note text")
      let answer = try await backend.send(
        .post, "/rest/v1/late", [.prefer: "return=representation"], body: #"{"note":"x"}"#)
      #expect(answer.status == 201)
      #expect(answer.text == #"[{"id":null,"note":"x"}]"#)
    }
  }

  @Test("Values are read by the types that columns have now, not by those that they once had")
  func changedTypes() async throws {
    let sql = "create table t (id int, day date, price numeric(5,2), name varchar(3)); insert into t values (1)"
    try await TestBackend.with(sql) { backend async throws in
      let first = #"{"id":1,"day":"2026-01-01","price":1.2345,"name":"abc"}"#
      let second = #"{"id":3000000000,"day":"2026-01-01T10:00:00Z","price":1.2345,"name":"abcdef"}"#
      let filters = ["id=eq.3000000000", "day=eq.2026-01-01T10:00:00Z", "price=eq.1.2345", "name=eq.abcdef"]
      #expect(try await backend.send(.post, "/rest/v1/t", body: first).status == 201)
      #expect(try await backend.send(.patch, "/rest/v1/t?id=eq.1", body: first).status == 204)
      for filter in ["id=eq.1", "day=eq.2026-01-01", "price=eq.1", "name=eq.abc"] {
        for _ in 0..<3 { #expect(try await backend.send(.get, "/rest/v1/t?select=id&\(filter)").status == 200) }
      }
      try await backend.backend.execute(
        """
        alter table t alter id type bigint, alter day type timestamptz, alter price type numeric(10,4),
          alter name type varchar(10); delete from t;
        """)
      #expect(try await backend.send(.post, "/rest/v1/t", body: second).status == 201)
      for filter in filters {
        #expect(try await backend.send(.get, "/rest/v1/t?select=id&\(filter)").text == #"[{"id":3000000000}]"#)
      }
      #expect(try await backend.send(.patch, "/rest/v1/t?day=gt.2026-01-01T09:00:00Z", body: second).status == 204)
      // Another table under the name is another, although its columns are those of the first.
      try await backend.backend.execute(
        "alter table t rename to old; create table t (like old); alter table t alter price type numeric(10,1)")
      #expect(try await backend.send(.post, "/rest/v1/t", body: second).status == 201)
      #expect(try await backend.send(.get, "/rest/v1/t?select=price&price=gt.1.15").text == #"[{"price":1.2}]"#)
      try await backend.backend.execute("drop table t; alter table old rename to t")
      let stored = #"[{"id":3000000000,"day":"2026-01-01T10:00:00+00:00","price":1.2345,"name":"abcdef"}]"#
      #expect(try await backend.send(.get, "/rest/v1/t").text == stored)
    }
  }

  @Test("A column that has changed its type or gone, and a table that has gone, are noticed")
  func changedRelations() async throws {
    try await TestBackend.with("create table t (a text, b int)") { backend async throws in
      #expect(try await backend.send(.post, "/rest/v1/t", body: #"{"a":"1","b":1}"#).status == 201)
      try await backend.backend.execute("alter table t alter a type jsonb using to_jsonb(a), drop b")
      #expect(try await backend.send(.post, "/rest/v1/t", body: #"{"a":{"x":1}}"#).status == 201)
      let column = try await backend.send(.patch, "/rest/v1/t", body: #"{"b":2}"#)
      #expect(column.text.contains("PGRST204"))
      try await backend.backend.execute("drop table t")
      #expect(try await backend.send(.get, "/rest/v1/t").text.contains("PGRST205"))
    }
  }

  @Test("A column named like our own alias does not confuse the JSON")
  func hostileColumnName() async throws {
    try await TestBackend.with("create table t (swiftwater_row int, r int); insert into t values (1, 2)") {
      backend async throws in
      #expect(try await backend.send(.get, "/rest/v1/t").text == #"[{"swiftwater_row":1,"r":2}]"#)
    }
  }
}

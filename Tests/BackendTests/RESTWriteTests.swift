import PostgREST
import SwiftwaterBackend
import Testing

@Suite("Writing rows over HTTP")
struct RESTWriteTests {
  private static let todos = """
    create table todos (id serial primary key, task text not null unique, done bool not null default false);
    insert into todos (task) values ('one'), ('two'), ('three');
    """

  @Test("Insertion returns nothing, the location or the rows, as asked")
  func insertReturning() async throws {
    try await TestBackend.with(Self.todos) { backend async throws in
      let minimal = try await backend.send(.post, "/rest/v1/todos", body: #"{"task":"a"}"#)
      #expect(minimal.status == 201)
      #expect(minimal.text.isEmpty)
      #expect(minimal.fields[.contentRange] == "*/*")
      let located = try await backend.send(
        .post, "/rest/v1/todos", [.prefer: "return=headers-only"], body: #"{"task":"b"}"#)
      #expect(located.fields[.location] == "/todos?id=eq.5")
      let rows = try await backend.send(
        .post, "/rest/v1/todos?select=id,task", [.prefer: "return=representation, count=exact"],
        body: #"[{"task":"c"},{"task":"d"}]"#)
      #expect(rows.text.filter { !$0.isWhitespace } == #"[{"id":6,"task":"c"},{"id":7,"task":"d"}]"#)
      #expect(rows.fields[.contentRange] == "*/2")
      #expect(rows.fields[.preferenceApplied] == "return=representation, count=exact")
    }
  }

  @Test("Empty objects take every default, empty arrays insert nothing")
  func emptyPayloads() async throws {
    try await TestBackend.with("create table t (id serial, at timestamptz default now())") { backend async throws in
      #expect(try await backend.send(.post, "/rest/v1/t", body: "{}").status == 201)
      #expect(try await backend.send(.post, "/rest/v1/t", body: "[{},{}]").status == 201)
      #expect(try await backend.send(.post, "/rest/v1/t", body: "[]").status == 201)
      #expect(try await backend.send(.head, "/rest/v1/t", [.prefer: "count=exact"]).fields[.contentRange] == "0-2/3")
    }
  }

  @Test("Changes touch the filtered rows only")
  func update() async throws {
    try await TestBackend.with(Self.todos) { backend async throws in
      let minimal = try await backend.send(.patch, "/rest/v1/todos?id=eq.1", body: #"{"done":true}"#)
      #expect(minimal.status == 204)
      #expect(minimal.fields[.contentRange] == "0-0/*")
      let rows = try await backend.send(
        .patch, "/rest/v1/todos?id=in.(2,3)&select=id,done", [.prefer: "return=representation"],
        body: #"{"done":true}"#)
      #expect(rows.status == 200)
      #expect(rows.text.filter { !$0.isWhitespace } == #"[{"id":2,"done":true},{"id":3,"done":true}]"#)
      #expect(try await backend.send(.patch, "/rest/v1/todos?id=eq.99", body: #"{"done":true}"#).status == 204)
      #expect(try await backend.send(.patch, "/rest/v1/todos", body: "{}").status == 204)
    }
  }

  @Test("Removals touch the filtered rows only")
  func delete() async throws {
    try await TestBackend.with(Self.todos) { backend async throws in
      let rows = try await backend.send(.delete, "/rest/v1/todos?id=gt.1&select=id", [.prefer: "return=representation"])
      #expect(rows.text.filter { !$0.isWhitespace } == #"[{"id":2},{"id":3}]"#)
      #expect(try await backend.send(.delete, "/rest/v1/todos?id=eq.1").status == 204)
      #expect(try await backend.send(.get, "/rest/v1/todos").text == "[]")
    }
  }

  @Test(
    "What is refused says why, and changes nothing",
    arguments: [
      (#"{"task":"one"}"#, 409, "23505"), (#"{"task":null}"#, 400, "23502"),
      (#"{"task":"x","nope":1}"#, 400, "PGRST204"),
      ("{", 400, "PGRST102"), ("", 400, "PGRST102"), (#"[{"task":"x"},{"done":true}]"#, 400, "PGRST102"),
      (#"[{"task":"x"},{"task":"one"}]"#, 409, "23505"), (#"{"task":"x","done":"maybe"}"#, 400, "22P02"),
      (#"{"task":"\u0000"}"#, 400, "22P05"),
    ])
  func refusals(body: String, status: Int, code: String) async throws {
    try await TestBackend.with(Self.todos) { backend async throws in
      let answer = try await backend.send(.post, "/rest/v1/todos", body: body)
      #expect(answer.status == status, "\(answer.text)")
      #expect(answer.text.contains("\"code\":\"\(code)\""), "\(answer.text)")
      #expect(
        try await backend.send(.head, "/rest/v1/todos", [.prefer: "count=exact"]).fields[.contentRange] == "0-2/3")
    }
  }

  @Test("The location is a URL whatever the key holds")
  func locations() async throws {
    try await TestBackend.with(#"create table "a b" (k text, "é" int, primary key (k, "é"))"#) { backend async throws in
      let answer = try await backend.send(
        .post, "/rest/v1/a%20b", [.prefer: "return=headers-only"], body: #"{"k":"x\r\nA: &y=z ü","é":1}"#)
      #expect(answer.status == 201)
      let location = try #require(answer.fields[.location])
      #expect(location == "/a%20b?k=eq.x%0D%0AA:%20%26y%3Dz%20%C3%BC&%C3%A9=eq.1")
      let found = try await backend.send(.get, "/rest/v1" + location + "&select=%C3%A9")
      #expect(found.text == #"[{"é":1}]"#)
    }
  }

  @Test("Rows without columns are empty objects")
  func noColumns() async throws {
    try await TestBackend.with("create table t (); create table u (id int)") { backend async throws in
      let rows: HTTPFields = [.prefer: "return=representation"]
      func texts(_ answer: TestBackend.Answer) -> String { answer.text.filter { !$0.isWhitespace } }
      #expect(texts(try await backend.send(.post, "/rest/v1/t", rows, body: "[{},{}]")) == "[{},{}]")
      #expect(texts(try await backend.send(.post, "/rest/v1/u?select=", rows, body: "{}")) == #"[{"id":null}]"#)
      #expect(texts(try await backend.send(.patch, "/rest/v1/u?select=", rows, body: #"{"id":1}"#)) == #"[{"id":1}]"#)
      #expect(texts(try await backend.send(.delete, "/rest/v1/t", rows)) == "[{},{}]")
    }
  }

  @Test("Methods and paths that mean nothing are refused")
  func methodsAndPaths() async throws {
    try await TestBackend.with(Self.todos) { backend async throws in
      let method = try await backend.send(HTTPRequest.Method(rawValue: "TRACE"), "/rest/v1/todos")
      #expect(method.status == 405)
      #expect(method.text.contains("PGRST117"))
      #expect(try await backend.send(.get, "/rest/v1/todos/1").status == 404)
      #expect(try await backend.send(.get, "/nothing").status == 404)
      #expect(try await backend.send(.get, "/rest/v1x").status == 404)
      #expect(try await backend.send(.get, "/rest/v1/todos", [.accept: "image/png"]).status == 406)
    }
  }
}

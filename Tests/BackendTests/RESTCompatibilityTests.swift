import PostgREST
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTPServer
import Testing

@Suite("Where clients know PostgREST's own answers")
struct RESTCompatibilityTests {
  private static let sql = """
    create table people (id int primary key, name text);
    create table pets (id int primary key, name text, owner int references people);
    insert into people values (1, 'Ada');
    insert into pets values (1, 'Rex', 1), (2, 'Tom', 1);
    """

  @Test("Where target names are none, a filter that uses one for an aliased relation is told the alias")
  func targetNames() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      try await PooledService.with(backend, rest: { $0.usesLegacyTargetNames = false }) { service async throws in
        let select = "/people?select=name,animals:pets(name)"
        #expect(
          try await service.send(.get, "\(select)&animals.name=eq.Tom").text
            == #"[{"name":"Ada","animals":[{"name": "Tom"}]}]"#)
        for parameter in ["pets.name=eq.Tom", "pets.order=name", "pets.limit=1", "pets.or=(id.eq.1,id.eq.2)"] {
          let answer = try await service.send(.get, "\(select)&\(parameter)")
          #expect(answer.status == 400)
          #expect(
            answer.text
              == #"{"code":"PGRST108","details":"Target names are not allowed in filters if they have an alias","#
              + #""hint":"Change 'pets' to 'animals' in filters, orders or limits.","#
              + #""message":"'pets' is not an embedded resource in this request"}"#)
        }
        let missing = try await service.send(.get, "\(select)&cats.name=eq.Tom")
        #expect(missing.text.contains(#""hint":"Verify that 'cats' is included in the 'select' query parameter.""#))
      }
    }
  }

  @Test("The description of the schema tells its timing, and the function before each request counts there too")
  func root() async throws {
    let sql = """
      create function before() returns void language plpgsql as $$ begin
        if current_setting('request.path') = '/' and current_setting('request.method') = 'HEAD' then
          raise sqlstate 'PT418' using message = 'no';
        end if;
      end $$;
      """
    try await TestBackend.with(sql) { backend async throws in
      try await PooledService.with(
        backend,
        rest: {
          $0.reportsTiming = true
          $0.preRequest = "public.before"
        }
      ) { service async throws in
        let answer = try await service.send(.get, "/")
        #expect(answer.status == 200)
        let timing = answer.fields[try #require(HTTPField.Name("Server-Timing"))] ?? ""
        #expect(
          timing.split(separator: ", ").map { $0.prefix { $0 != ";" } } == [
            "jwt", "parse", "plan", "transaction", "response",
          ])
        #expect(try await service.send(.head, "/").status == 418)
      }
    }
  }

  @Test("Preflights are answered with the methods and fields that PostgREST names")
  func preflight() async throws {
    let handler = RESTService.corsPolicy().wrap { _ in throw CancellationError() }
    let fields: HTTPFields = [
      try #require(HTTPField.Name("Origin")): "http://example.com",
      try #require(HTTPField.Name("Access-Control-Request-Method")): "POST",
      try #require(HTTPField.Name("Access-Control-Request-Headers")): "Foo,Bar",
    ]
    let head = HTTPRequest(method: .options, scheme: "http", authority: "127.0.0.1", path: "/", headerFields: fields)
    let answer = try await handler(ServerRequest(head: head, body: .empty)).head
    #expect(answer.status.code == 200)
    func value(_ name: String) -> String? {
      HTTPField.Name("Access-Control-\(name)").flatMap { answer.headerFields[$0] }
    }
    #expect(value("Allow-Origin") == "*")
    #expect(value("Allow-Methods") == "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD")
    #expect(
      value("Allow-Headers") == "Authorization, Foo, Bar, Accept, Accept-Language, Content-Language")
    #expect(value("Max-Age") == "86400")
  }

  @Test("Where a row can be found after its insertion is told in the order of the relation's columns")
  func location() async throws {
    let sql = """
      create table sponsors (id int primary key, name text);
      create table events (id int primary key, name text, sponsor int references sponsors);
      create view sponsored as
        select e.id, s.id as sponsor_id, e.name as event from sponsors s join events e on e.sponsor = s.id;
      create function insert_sponsored() returns trigger language plpgsql as $$ begin return new; end $$;
      create trigger insert_sponsored instead of insert on sponsored for each row execute function insert_sponsored();
      """
    try await TestBackend.with(sql) { backend async throws in
      try await PooledService.with(backend) { service async throws in
        var fields = PooledService.token(#"{"role":"service_role"}"#)
        fields[try #require(HTTPField.Name("Prefer"))] = "return=headers-only"
        for (body, location) in [
          (#"{"id":1,"sponsor_id":2}"#, "?id=eq.1&sponsor_id=eq.2"), (#"{"id":1}"#, "?id=eq.1&sponsor_id=is.null"),
        ] {
          let answer = try await service.send(.post, "/sponsored", fields, body: body)
          #expect(answer.status == 201)
          #expect(answer.fields[try #require(HTTPField.Name("Location"))] == "/sponsored\(location)")
        }
      }
    }
  }
}

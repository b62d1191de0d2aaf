import PostgREST
import SupabaseServices
import SwiftwaterBackend
import TestSupport
import Testing

@Suite("What the service knows of the database")
struct CatalogTests {
  @Test("Tables, columns and functions of a moment ago are found, and what is gone is not")
  func changes() async throws {
    try await TestBackend.with { backend async throws in
      for round in 1...3 {
        try await backend.backend.execute(
          """
          create table t\(round) (id int primary key, parent int references t\(round));
          insert into t\(round) values (1, null), (2, 1);
          create function f\(round)() returns int language sql as 'select \(round)';
          """)
        #expect(
          try await backend.send(.get, "/rest/v1/t\(round)?select=id,children:t\(round)(id)&id=eq.1").text
            == #"[{"id":1,"children":[{"id": 2}]}]"#)
        #expect(try await backend.send(.post, "/rest/v1/rpc/f\(round)", body: "{}").text == "\(round)")
        try await backend.backend.execute("drop table t\(round)")
        #expect(try await backend.send(.get, "/rest/v1/t\(round)").status == 404)
      }
    }
  }

  @Test(
    "A cancelled caller stops waiting for the catalog at once; the others get what was being read",
    .timeLimit(.minutes(2)))
  func cancelledCaller() async throws {
    try await TestBackend.with("create table t (id int)") { backend async throws in
      try await PooledService.with(backend) { service async throws in
        service.service.reloadSchema()
        // Holds up whoever reads enumerated types, as reading the catalog does.
        let lock = Task {
          try await backend.backend.execute("lock table pg_enum in access exclusive mode; select pg_sleep(600)")
        }
        #expect(try await eventually { try await backend.runningStatements(containing: "access exclusive") == 1 })
        let first = Task { try await service.send(.get, "/t") }
        #expect(try await eventually { try await backend.runningStatements(containing: "'relations', (SELECT") == 1 })
        let second = Task { try await service.send(.get, "/t") }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await backend.runningStatements(containing: "'relations', (SELECT") == 1)
        lock.cancel()
        #expect(try await second.value.text == "[]")
        _ = try? await lock.value
      }
    }
  }

  @Test("The database has the last word on settings")
  func settings() async throws {
    let sql = """
      create table prices (id int, price int);
      insert into prices values (1, 10), (2, 20);
      create schema api;
      grant usage on schema api to anon, authenticated, service_role;
      create view api.sums as select 1 as one;
      grant select on api.sums to service_role;
      """
    try await TestBackend.with(sql) { backend async throws in
      let total = "/rest/v1/prices?select=price.sum()"
      #expect(try await backend.send(.get, total).text.contains("PGRST123"))
      try await backend.backend.execute(
        """
        do $$ begin
          execute format('alter role %I in database %I set pgrst.db_aggregates_enabled = ''true''',
            'authenticator', current_database());
          execute format('alter role %I in database %I set pgrst.db_schemas = ''public, api''',
            'authenticator', current_database());
          execute format('alter role %I in database %I set pgrst.db_max_rows = ''1''',
            'authenticator', current_database());
        end $$;
        notify pgrst, 'reload config';
        """)
      #expect(await eventually { (try? await backend.send(.get, total).text) == #"[{"sum":30}]"# })
      #expect(try await backend.send(.get, "/rest/v1/prices?select=id&order=id").text == #"[{"id":1}]"#)
      let other = try await backend.send(.get, "/rest/v1/sums", [.init("Accept-Profile") ?? .accept: "api"])
      #expect(other.text == #"[{"one":1}]"#)
    }
  }

  @Test("A view of a view shows the keys of the table below, under the names that it gives them")
  func views() async throws {
    let sql = #"""
      create table owners ("o{i}d" int primary key, name text);
      create table pets (id int primary key, owner int references owners);
      insert into owners values (1, 'Ada');
      insert into pets values (1, 1);
      create view inner_view as select id as pet, owner as "the {owner}" from pets;
      create view outer_view as select pet, "the {owner}" as belongs from inner_view;
      create view owner_view as select "o{i}d" as number, name from owners;
      """#
    try await TestBackend.with(sql) { backend async throws in
      for (query, answer) in [
        ("outer_view?select=pet,owner_view(name)", #"[{"pet":1,"owner_view":{"name": "Ada"}}]"#),
        ("owner_view?select=name,outer_view(pet)", #"[{"name":"Ada","outer_view":[{"pet": 1}]}]"#),
        ("inner_view?select=pet,owners(name)", #"[{"pet":1,"owners":{"name": "Ada"}}]"#),
      ] {
        #expect(try await backend.send(.get, "/rest/v1/\(query)").text == answer)
      }
    }
  }
}

import FoundationEssentials
import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterPostgres
import Testing

@Suite("Resetting a database")
struct ResetTests {
  @Test("Everything that was made goes, what the services need is there again, and a running backend goes on")
  func reset() async throws {
    let sql = """
      create schema extra;
      create table extra.t (id int);
      create table t (id int primary key);
      insert into t values (1);
      create extension hstore schema extra;
      create type mood as enum ('good');
      create publication mine for table t;
      create function spoil() returns event_trigger language plpgsql as $$ begin raise 'no'; end $$;
      select lo_create(0);
      create event trigger spoiler on sql_drop execute function spoil();
      """
    try await TestBackend.with(sql) { backend async throws in
      let url = backend.backend.databaseConnection
      #expect(try await backend.client.from("t").select().execute().string == #"[{"id":1}]"#)
      try await LocalBackend.resetDatabase(.init(storage: .database(url)))
      #expect(try await backend.send(.get, "/rest/v1/t").status == 404)
      let pool = try PostgresPool(url)
      let left = try await pool.query(
        """
        select (select string_agg(nspname, ' ' order by nspname) from pg_namespace
                where nspname not like 'pg\\_%' and nspname <> 'information_schema'),
          (select string_agg(extname, ' ' order by extname) from pg_extension),
          (select string_agg(pubname, ' ') from pg_publication), (select count(*) from pg_event_trigger where evtname not like 'pgrst%'),
          (select count(*) from pg_largeobject_metadata), (select count(*) from pg_type where typname = 'mood'),
          (select nspowner::regrole from pg_namespace where nspname = 'public')
        """)
      #expect(
        (0..<7).map { left.string(row: 0, column: $0) } == [
          "auth extensions public", "pgcrypto plpgsql uuid-ossp", "supabase_realtime", "0", "0", "0",
          "pg_database_owner",
        ])
      await pool.close()
      try await backend.backend.execute("create table t (name text); insert into t values ('a')")
      #expect(
        try await backend.client(key: backend.backend.anonKey).from("t").select().execute().string == #"[{"name":"a"}]"#
      )
    }
  }

  @Test("Requests that come meanwhile are answered: by the old rows, by none, or by the new ones")
  func meanwhile() async throws {
    let folder = "/tmp/swiftwater-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("create table t (id int); insert into t values (2);".utf8).write(to: URL(filePath: "\(folder)/1.sql"))
    try await TestBackend.with("create table t (id int); insert into t values (1);") { backend async throws in
      let url = backend.backend.databaseConnection
      let asking = Task {
        var answers: Set<String> = []
        repeat {
          let answer = try await backend.send(.get, "/rest/v1/t")
          answers.insert(answer.status == 200 ? answer.text : "\(answer.status)")
        } while !Task.isCancelled && !answers.contains(#"[{"id":2}]"#)
        return answers
      }
      for _ in 0..<3 {
        try await LocalBackend.resetDatabase(.init(storage: .database(url), migrations: folder))
      }
      let answers = try await asking.value
      #expect(answers.isSubset(of: [#"[{"id":1}]"#, #"[{"id":2}]"#, "404"]), "\(answers)")
    }
  }
}

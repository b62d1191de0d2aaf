import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterPostgres
import Testing

@Suite("What a prepared database has")
struct BootstrapTests {
  private func rows(_ backend: TestBackend, _ sql: String) async throws -> [String] {
    let pool = try PostgresPool(backend.backend.databaseConnection)
    let result = try await pool.query(PostgresStatement(sql))
    await pool.close()
    return (0..<result.rowCount).map { row in
      (0..<result.columnCount).map { result.string(row: row, column: $0) ?? "null" }.joined(separator: "|")
    }
  }

  @Test("Roles, schemas, extensions and publication are those of a Supabase project")
  func inventory() async throws {
    try await TestBackend.with { backend async throws in
      let roles = """
        select rolname, rolcanlogin, rolinherit, rolbypassrls, rolsuper, pg_has_role('authenticator', oid, 'member')
        from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'authenticator') order by 1
        """
      #expect(
        try await rows(backend, roles) == [
          "anon|f|f|f|f|t", "authenticated|f|f|f|f|t", "authenticator|t|f|f|f|t", "service_role|f|f|t|f|t",
        ])
      #expect(
        try await rows(
          backend,
          "select extname, nspname from pg_extension join pg_namespace n on n.oid = extnamespace where nspname = 'extensions' order by 1"
        ) == ["pgcrypto|extensions", "uuid-ossp|extensions"])
      #expect(try await rows(backend, "select pubname, puballtables from pg_publication") == ["supabase_realtime|f"])
    }
  }

  @Test("What a migration makes is reachable for all callers, under row-level security")
  func defaultPrivileges() async throws {
    let sql = """
      create table open (id serial primary key, word text);
      create table closed (id int);
      alter table closed enable row level security;
      insert into closed values (1);
      create function hashed() returns text language sql as $$ select encode(extensions.digest('a', 'sha256'), 'hex') $$;
      create view hashes as select hashed();
      """
    try await TestBackend.with(sql) { backend async throws in
      for key in [backend.backend.anonKey, backend.backend.serviceRoleKey] {
        let client = backend.client(key: key)
        try await client.from("open").insert(["word": "a"]).execute()
        #expect(try await client.from("hashes").select().execute().string.contains("ca978112"))
      }
      #expect(try await backend.client(key: backend.backend.anonKey).from("closed").select().execute().string == "[]")
      #expect(try await backend.client.from("closed").select().execute().string == #"[{"id":1}]"#)
    }
  }

  @Test("A setting of a single claim, as tests of policies make it, is heard")
  func singleClaims() async throws {
    try await TestBackend.with { backend async throws in
      let sql = """
        select set_config('request.jwt.claim.sub', '00000000-0000-4000-8000-00000000000a', false),
          set_config('request.jwt.claims', '{"role":"r","email":"e","sub":"00000000-0000-4000-8000-00000000000b"}', false);
        create table answers as select auth.uid(), auth.role(), auth.email(), auth.jwt() ->> 'role' as whole;
        """
      try await backend.backend.execute(sql)
      #expect(
        try await rows(backend, "select * from answers") == ["00000000-0000-4000-8000-00000000000a|r|e|r"])
    }
  }

  @Test("Preparing again changes nothing, and answers of one's own stay")
  func again() async throws {
    try await SharedCluster.withDatabase { url in
      let pool = try PostgresPool(url)
      try await pool.executeScript(
        "create schema auth; create function auth.uid() returns uuid language sql as 'select null::uuid'")
      for _ in 0..<2 {
        let backend = try await LocalBackend.start(.init(storage: .database(url), preparesDatabase: true))
        await backend.stop()
      }
      let result = try await pool.query("select prosrc from pg_proc where oid = 'auth.uid()'::regprocedure")
      #expect(result.string(row: 0, column: 0) == "select null::uuid")
      await pool.close()
    }
  }
}

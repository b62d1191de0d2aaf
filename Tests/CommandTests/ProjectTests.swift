import Foundation
import PostgREST
import TestSupport
import Testing

@Suite("A project's folder")
struct ProjectTests {
  @Test("Its migrations and seed are applied once, each said in a line, and what they make is reachable under RLS")
  func migrationsAndSeed() async throws {
    let folder = try ScratchFolder()
    try folder.write(
      """
      create table notes (id uuid primary key default uuid_generate_v4(), text text);
      alter table notes enable row level security;
      create policy all_of_them on notes for select to anon using (text <> 'secret');
      """, to: "supabase/migrations/20260101_notes.sql")
    try folder.write("insert into notes (text) values ('open'), ('secret');", to: "supabase/seed.sql")
    let first = try folder.swiftwater("start", "--port", "0")
    #expect(await first.serves(), "\(first.output)")
    #expect(
      first.output.hasPrefix(
        """
        Applying supabase/migrations/20260101_notes.sql (1 of 2)
        Applying supabase/seed.sql (2 of 2)
        Swiftwater is running.
        """), "\(first.output)")
    #expect(
      try await first.client(key: "anon key").from("notes").select("text").execute().string == #"[{"text":"open"}]"#)
    #expect(try await first.client().from("notes").select(head: true, count: .exact).execute().count == 2)
    first.send(SIGINT)
    #expect(await first.status() == 0)
    let second = try folder.swiftwater("start", "--port", "0")
    #expect(await second.serves(), "\(second.output)")
    #expect(!second.output.contains("Applying"))
    #expect(try await second.client().from("notes").select(head: true, count: .exact).execute().count == 2)
    second.send(SIGINT)
    #expect(await second.status() == 0)
  }

  @Test(
    "The first failing statement stops the start, with file, line, PostgreSQL's words and a caret",
    arguments: [
      (
        "create table t (id int);\n\nselect 1,\n  nonsense;\n",
        "x.sql:4: column \"nonsense\" does not exist\n    nonsense;\n"
      ),
      (
        "-- é; '\ncreate table t (id int primary key);\n/* ; /* ; */ */ insert into t values (1);\n  insert into t\nvalues (1);",
        "x.sql:4: duplicate key value violates unique constraint \"t_pkey\"\n    insert into t\n  detail: Key (id)=(1) already exists.\n"
      ),
      (
        "do $body$ begin; end $body$;\nselect 1;",
        "x.sql:1: syntax error at or near \";\"\n  do $body$ begin; end $body$;\n                 ^\n"
      ),
      (
        "create function f() returns int language plpgsql as $$\nbegin return 1 / 0; end $$;\nselect ';';\nselect f();\n",
        "x.sql:4: division by zero\n  select f();\n  context: "
      ),
      (
        "create table t (id int);\ncopy t from stdin;\n1\n\\.\n",
        "x.sql:2: COPY FROM STDIN works in psql only: write INSERT statements (pg_dump --inserts does)\n  copy t from stdin;\n"
      ),
      (
        "select " + String(repeating: "'0123456789', ", count: 30) + "nonsense, " + String(repeating: "0, ", count: 90)
          + "1;",
        """
        x.sql:1: column "nonsense" does not exist
          …56789', '0123456789', '0123456789', '0123456789', nonsense, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0…
                                                             ^

        """
      ),
      ("copy pg_class from stdin", "x.sql:1: COPY FROM STDIN works in psql only"),
    ])
  func failingStatement(sql: String, message: String) async throws {
    let folder = try ScratchFolder()
    try folder.write(sql, to: "supabase/migrations/1_x.sql")
    let command = try folder.swiftwater("start", "--port", "0")
    #expect(await command.status() == 65)
    #expect(command.output.contains("supabase/migrations/1_" + message), "\(command.output)")
  }

  @Test("A faulty seed leaves the migrations applied and is tried again next time")
  func faultySeed() async throws {
    let folder = try ScratchFolder()
    try folder.write("create table t (id int);", to: "supabase/migrations/1_t.sql")
    try folder.write("insert into t values (1);\ninsert into u values (1);", to: "supabase/seed.sql")
    let first = try folder.swiftwater("start", "--port", "0")
    #expect(await first.status() == 65)
    #expect(first.output.contains("supabase/seed.sql:2: relation \"u\" does not exist"), "\(first.output)")
    try folder.write("insert into t values (1);", to: "supabase/seed.sql")
    let second = try folder.swiftwater("start", "--port", "0")
    #expect(await second.serves(), "\(second.output)")
    #expect(!second.output.contains("1_t.sql"))
    #expect(try await second.client().from("t").select().execute().string == #"[{"id":1}]"#)
    second.send(SIGINT)
    #expect(await second.status() == 0)
  }

  @Test("Files that have changed since they were applied are each a line at every start, with what to do")
  func changedFiles() async throws {
    let folder = try ScratchFolder()
    try folder.write("create table t (id int);", to: "supabase/migrations/1_t.sql")
    try folder.write("insert into t values (1);", to: "supabase/seed.sql")
    func start(_ arguments: String...) async throws -> String {
      let command = try folder.swiftwater(arguments: ["start", "--port", "0"] + arguments)
      #expect(await command.serves(), "\(command.output)")
      command.send(SIGINT)
      #expect(await command.status() == 0)
      return command.output
    }
    for data in [".swiftwater", "else where"] { _ = try await start("--data", data) }
    try folder.write("create table t (id int, name text);", to: "supabase/migrations/1_t.sql")
    try folder.write("insert into t values (2);", to: "supabase/seed.sql")
    for _ in 0..<2 {
      #expect(
        try await start().hasPrefix(
          """
          swiftwater: supabase/migrations/1_t.sql has changed since it was applied; `swiftwater db reset` applies it anew
          swiftwater: supabase/seed.sql has changed since it was applied; `swiftwater db reset` applies it anew
          Swiftwater is running.
          """))
    }
    let elsewhere = try await start("--data", "else where")
    #expect(elsewhere.contains("; `swiftwater db reset --folder 'else where'` applies it anew\n"), "\(elsewhere)")
    let reset = try folder.swiftwater("db", "reset")
    #expect(await reset.status() == 0)
    #expect(try await start().hasPrefix("Swiftwater is running."))
  }

  @Test(
    "The data folder keeps itself out of the repository, also when the first start fails; one that was there is left")
  func ignored() async throws {
    let folder = try ScratchFolder()
    try folder.write("nonsense", to: "supabase/migrations/1_t.sql")
    try folder.write("", to: "mine/keep")
    for data in [".swiftwater", "mine"] {
      let command = try folder.swiftwater("start", "--port", "0", "--data", data)
      #expect(await command.status() == 65, "\(command.output)")
    }
    #expect(
      FileManager.default.contents(atPath: folder.path + "/.swiftwater/.gitignore").map {
        String(decoding: $0, as: UTF8.self).hasSuffix("\n*\n")
      } == true)
    #expect(FileManager.default.fileExists(atPath: folder.path + "/mine/data"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/mine/.gitignore"))
  }

  @Test("What pg_dump writes for psql alone does not stop a migration")
  func dumped() async throws {
    let folder = try ScratchFolder()
    try folder.write(
      "--\n\\restrict abc\nselect pg_catalog.set_config('search_path', '', false);\ncreate table public.t (id int);\n\\unrestrict abc\n",
      to: "supabase/migrations/1_t.sql")
    let command = try folder.swiftwater("start", "--port", "0")
    #expect(await command.serves(), "\(command.output)")
    command.send(SIGINT)
    #expect(await command.status() == 0)
  }

  @Test("A secret and keys of one's own come from files, and the well-known ones end with them")
  func ownSecret() async throws {
    let folder = try ScratchFolder()
    try folder.write("a secret of this test, which is long enough\n", to: "secret")
    try folder.write("create table t (id int);", to: "supabase/migrations/1_t.sql")
    let command = try folder.swiftwater("start", "--port", "0", "--jwt-secret-file", "secret")
    #expect(await command.serves(), "\(command.output)")
    #expect(command.value(of: "Mode") == "normal")
    #expect(try await command.client().from("t").select().execute().string == "[]")
    let url = try #require(command.value(of: "REST").flatMap(URL.init(string:)))
    let known =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9."
      + "CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0"
    let stranger = PostgrestClient(configuration: .init(url: url, headers: [.apikey: known]))
    await #expect(throws: PostgrestError.self) { try await stranger.from("t").select().execute() }
    command.send(SIGINT)
    #expect(await command.status() == 0)
  }

  @Test(
    "Secrets that protect nothing are refused with a line and 78",
    arguments: [
      ["--host", "0.0.0.0"], ["--host", "::"], ["--jwt-secret-file", "short"],
      ["--jwt-keys", "short"], ["--host", "0.0.0.0", "--jwt-secret-file", "long", "--development"],
    ])
  func refusedSecrets(arguments: [String]) async throws {
    let folder = try ScratchFolder()
    try folder.write("too short", to: "short")
    try folder.write("a secret of this test, which is long enough", to: "long")
    let command = try folder.swiftwater(arguments: ["start", "--port", "0"] + arguments)
    #expect(await command.status() == 78, "\(command.output)")
    #expect(command.output.split(separator: "\n").count == 1, "\(command.output)")
    #expect(!command.output.contains("too short"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/.swiftwater"))
  }
}

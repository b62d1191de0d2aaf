import Foundation
import PostgREST
import TestSupport
import Testing

@Suite("swiftwater db")
struct DatabaseCommandTests {
  private func project() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write("create table t (id int primary key, name text);", to: "supabase/migrations/1_t.sql")
    try folder.write("insert into t values (1, 'seed');", to: "supabase/seed.sql")
    return folder
  }

  @Test("reset gives a running backend the database of the migrations as they are now")
  func resetRunning() async throws {
    let folder = try project()
    let backend = try folder.swiftwater("start", "--port", "0")
    #expect(await backend.serves(), "\(backend.output)")
    let client = try backend.client()
    try await client.from("t").insert(["id": "2", "name": "mine"]).execute()
    try folder.write(
      "create table t (id bigint primary key, title text, extra int);", to: "supabase/migrations/1_t.sql")
    try folder.write("insert into t values (7, 'new', 1);", to: "supabase/seed.sql")
    let reset = try folder.swiftwater("db", "reset")
    #expect(await reset.status() == 0, "\(reset.output)")
    #expect(reset.output.contains("seed.sql (2 of 2)"))
    #expect(try await client.from("t").select().execute().string == #"[{"id":7,"title":"new","extra":1}]"#)
    // A policy's function, made anew.
    try await client.from("t").insert(["id": "8", "title": "after"]).execute()
    #expect(
      try await backend.client(key: "anon key").from("t").select("id").order("id").execute().string
        == "[{\"id\":7}, \n {\"id\":8}]")
    backend.send(SIGINT)
    #expect(await backend.status() == 0)
  }

  @Test("reset works without a running backend, and a faulty file is said with its line")
  func resetAlone() async throws {
    let folder = try project()
    let first = try folder.swiftwater("db", "reset")
    #expect(await first.status() == 0, "\(first.output)")
    try folder.write("insert into t values (1, 'seed');\ninsert into t values (1, 'again');", to: "supabase/seed.sql")
    let second = try folder.swiftwater("db", "reset")
    #expect(await second.status() == 65)
    #expect(second.output.contains("supabase/seed.sql:2: duplicate key"), "\(second.output)")
    #expect(
      second.output.hasSuffix(
        "\n  state: the database is new; nothing of this file is applied, those before it are; the next start tries it again\n"
      ),
      "\(second.output)")
    #expect(await eventually { processes(mentioning: folder.path).isEmpty })
    let rows = try folder.swiftwater("db", "psql", "-Atc", "select count(*) from t")
    #expect(await rows.status() == 0)
    #expect(rows.output == "0\n")
    try folder.write("insert into t values (1, 'seed');", to: "supabase/seed.sql")
    let start = try folder.swiftwater("start", "--port", "0")
    #expect(await start.serves(), "\(start.output)")
    #expect(start.output.hasPrefix("Applying supabase/seed.sql (1 of 1)\n"))
    start.send(SIGINT)
    #expect(await start.status() == 0)
  }

  @Test("psql runs with its own arguments on the running backend's database, and its status is ours")
  func psql() async throws {
    let folder = try project()
    let backend = try folder.swiftwater("start", "--port", "0")
    #expect(await backend.serves(), "\(backend.output)")
    let rows = try folder.swiftwater(
      "db", "psql", "--", "-At", "-c", "select id, name from t", "-c", "show search_path")
    #expect(await rows.status() == 0, "\(rows.output)")
    #expect(rows.output == "1|seed\n\"$user\", public, extensions\n")
    let failing = try folder.swiftwater("db", "psql", "--folder", ".swiftwater", "-c", "select nonsense")
    #expect(await failing.status() == 1)
    backend.send(SIGINT)
    #expect(await backend.status() == 0)
    let alone = try folder.swiftwater("db", "psql", "-Atc", "select name from t")
    #expect(await alone.status() == 0)
    #expect(alone.output == "seed\n")
    #expect(await eventually { processes(mentioning: folder.path).isEmpty })
  }

  @Test("What dump writes makes the same database when it is a migration and a seed")
  func dump() async throws {
    let folder = try project()
    try folder.write(
      """
      create extension hstore with schema extensions;
      create table "odd ""name" (id uuid default auth.uid(), tags extensions.hstore);
      alter table "odd ""name" enable row level security;
      create policy p on "odd ""name" to authenticated using (id = auth.uid());
      create table late (id int);
      create function early() returns bigint language sql as $$
      -- this stays
      SELECT count(*) from late $$ ;
      create function atomic() returns int begin atomic; select 1; end;
      comment on function atomic is 'SET x = 1;';
      insert into "odd ""name" (tags) values ('a=>"it''s; $$"');
      """, to: "supabase/migrations/2_odd.sql")
    let backend = try folder.swiftwater("start", "--port", "0")
    #expect(await backend.serves(), "\(backend.output)")
    let copy = try ScratchFolder()
    try copy.write("", to: "supabase/migrations/1_all.sql")
    for arguments in [
      ["--file=\(copy.path)/supabase/migrations/1_all.sql"], ["--data", "-f", "\(copy.path)/supabase/seed.sql"],
    ] {
      let dump = try folder.swiftwater(arguments: ["db", "dump"] + arguments)
      #expect(await dump.status() == 0, "\(dump.output)")
    }
    let printed = try folder.swiftwater("db", "dump")
    #expect(await printed.status() == 0)
    #expect(printed.output.contains("CREATE POLICY p ON public"))
    for hidden in [
      "schema_migrations", "auth.jwt", "supabase_realtime", "pgrst_", "\\", "-- Name", "SET statement_timeout",
    ] {
      #expect(!printed.output.contains(hidden), "\(hidden)")
    }
    #expect(printed.output.contains("\n-- this stays\n"))
    #expect(
      printed.output.hasPrefix(
        "SELECT pg_catalog.set_config('search_path', '', false);\n\nSET check_function_bodies = false;\n\nCREATE "),
      "\(printed.output)")
    backend.send(SIGINT)
    #expect(await backend.status() == 0)
    let reset = try copy.swiftwater("db", "reset")
    #expect(await reset.status() == 0, "\(reset.output)")
    let query =
      "select (select name from t), (select tags::text from \"odd \"\"name\"), (select polname from pg_policy), early(), atomic()"
    let (first, second) = (
      try folder.swiftwater("db", "psql", "-Atc", query), try copy.swiftwater("db", "psql", "-Atc", query)
    )
    #expect(await first.status() == 0)
    #expect(await second.status() == 0)
    #expect(first.output == second.output)
    #expect(first.output == "seed|\"a\"=>\"it's; $$\"|p|0|1\n")
  }

  @Test("A file that cannot be written is one line and 73", arguments: ["--data", nil])
  func unwritable(data: String?) async throws {
    let folder = try project()
    let reset = try folder.swiftwater("db", "reset")
    #expect(await reset.status() == 0, "\(reset.output)")
    for (path, reason) in [
      ("missing/all.sql", "No such file or directory"), ("supabase/seed.sql/all.sql", "Not a directory"),
      ("supabase", "Is a directory"),
    ] {
      let dump = try folder.swiftwater(arguments: ["db", "dump"] + [data].compactMap(\.self) + ["-f", path])
      #expect(await dump.status() == 73, "\(dump.output)")
      #expect(dump.output == "swiftwater: cannot write \(path): \(reason)\n")
    }
  }

  @Test("Where there is no database none is made to look at", arguments: ["dump", "psql"])
  func nothingThere(command: String) async throws {
    let folder = try ScratchFolder()
    let command = try folder.swiftwater("db", command)
    #expect(await command.status() == 66)
    #expect(command.output.split(separator: "\n").count == 1, "\(command.output)")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/.swiftwater"))
  }

  @Test(
    "Command lines that make no sense exit with 64 and one line",
    arguments: [
      ["db"], ["db", "drop"], ["db", "reset", "now"], ["db", "reset", "--database-url", "postgresql://127.0.0.1:1/x"],
      ["db", "dump", "--nope"], ["db", "dump", "--data=x"], ["db", "dump", "-f"], ["db", "psql", "--folder"],
      ["db", "psql", "--folder", "a", "--database-url", "b"], ["status", "here"], ["status", "--data"],
    ])
  func usage(arguments: [String]) async throws {
    let command = try ChildProgram("swiftwater", arguments)
    #expect(await command.status() == 64)
    #expect(command.output.hasPrefix("swiftwater: "))
    #expect(command.output.split(separator: "\n").count == 1, "\(command.output)")
  }

  @Test("A database that does not answer is one line and 69")
  func unreachable() async throws {
    let command = try ChildProgram(
      "swiftwater", ["db", "reset", "--yes", "--database-url", "postgresql://127.0.0.1:1/x"])
    #expect(await command.status() == 69)
    #expect(command.output.split(separator: "\n").count == 1, "\(command.output)")
  }

  @Test(
    "Each command explains itself", arguments: [["start"], ["status"], ["db"], ["db", "reset"], ["db", "dump"], []])
  func help(arguments: [String]) async throws {
    let command = try ChildProgram("swiftwater", arguments + ["--help"])
    #expect(await command.status() == 0)
    #expect(command.output.hasPrefix("swiftwater "), "\(command.output)")
  }
}

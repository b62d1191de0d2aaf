import FoundationEssentials
import PostgresTestSupport
import SwiftwaterPostgres
import SwiftwaterStreams
import Testing

@testable import SwiftwaterBackend

@Suite("Migrations and seeds")
struct MigrationTests {
  /// A project's files, a database of its own, and what a start tells of the files.
  private struct Project {
    let url: String
    let folder: String
    let changed = LockIsolated<[String]>([])

    static func with(_ body: (Project) async throws -> Void) async throws {
      let folder = "/tmp/swiftwater-test-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder + "/migrations", withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try await SharedCluster.withDatabase { url in try await body(Project(url: url, folder: folder)) }
    }

    func write(_ sql: String, to name: String) throws {
      try Data(sql.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    var configuration: LocalBackend.Configuration {
      var configuration = LocalBackend.Configuration(
        storage: .database(url), migrations: folder + "/migrations", preparesDatabase: true)
      let seed = folder + "/seed.sql"
      if FileManager.default.fileExists(atPath: seed) { configuration.seed = seed }
      configuration.onChangedFile = { [changed, folder] path in
        changed.withLock { $0.append(String(path.dropFirst(folder.count + 1))) }
      }
      return configuration
    }

    /// Starts and stops a backend, and returns which files it has called changed.
    func start() async throws -> [String] {
      changed.withLock { $0 = [] }
      try await LocalBackend.with(configuration) { _ in }
      return changed.value
    }

    func failure() async -> LocalBackendError? {
      await #expect(throws: LocalBackendError.self) { try await start() }
    }

    func value(_ sql: String) async throws -> String? {
      let pool = try PostgresPool(url)
      defer { Task { await pool.close() } }
      return try await pool.query(PostgresStatement(sql)).string(row: 0, column: 0)
    }
  }

  @Test(
    "A file that would end its transaction midway is refused before anything runs",
    arguments: [
      ("create table b (id int);\ncommit;\nselect nonsense;", 2), ("begin;\ncreate table b (id int);", 1),
      ("create table b (id int);\ncommit;", 2), ("begin;\ncreate table b (id int);\ncommit;\nselect 1", 1),
      ("begin; create table b (id int);\ncommit; begin;\nselect 1; commit", 2),
      ("begin isolation level serializable; create table b (id int); commit", 1),
      ("create table b (id int);\n\nrollback", 3), ("prepare transaction 'b'", 1),
    ])
  func transactionControl(sql: String, line: Int) async throws {
    try await Project.with { project async throws in
      try project.write("create table a (id int);", to: "migrations/1_a.sql")
      try project.write(sql, to: "migrations/2_b.sql")
      let error = await project.failure()
      #expect(error?.code == .statementFailed)
      #expect(
        error?.message.contains("2_b.sql:\(line): each file is one transaction") == true, "\(error?.message ?? "")")
      #expect(try await project.value("select to_regclass('a') is null and to_regclass('b') is null") == "t")
    }
  }

  @Test(
    "BEGIN and COMMIT around a whole file change nothing, also not where a fault is said to be",
    arguments: [
      ("begin", "commit"), ("BEGIN TRANSACTION", "COMMIT WORK"), ("start\ntransaction", "end"),
    ])
  func frame(begin: String, commit: String) async throws {
    try await Project.with { project async throws in
      func write(_ sql: String) throws {
        try project.write("-- é\n\(begin);\nsavepoint s;\n\(sql)\n\(commit);\n-- end", to: "migrations/1_a.sql")
      }
      try write("create table a (id int); select\n  nonsense;")
      let error = await project.failure()
      let line = begin.contains("\n") ? 6 : 5
      #expect(error?.message.contains("1_a.sql:\(line): column \"nonsense\" does not exist") == true)
      #expect(try await project.value("select to_regclass('a') is null") == "t")
      try write("create table a (id int); rollback to s; create table b (id int);")
      #expect(try await project.start() == [])
      #expect(try await project.value("select to_regclass('a') is null and to_regclass('b') is not null") == "t")
      #expect(try await project.start() == [])
    }
  }

  @Test(
    "What runs in no transaction, and what is psql's, is refused with advice",
    arguments: [
      (
        "create table a (id int);\ncreate index concurrently i on a (id);",
        "1_a.sql:2: CREATE INDEX CONCURRENTLY cannot run inside a transaction block; each file is one transaction: leave"
          + " CONCURRENTLY out"
      ),
      (
        "select 1;\nvacuum;",
        "1_a.sql:2: VACUUM cannot run inside a transaction block; each file is one transaction: run"
      ),
      ("select 1;\n  \\echo don't", #"1_a.sql:2: psql's commands (\echo) do not work here: take it out"#),
      ("select 1 \\gset", #"1_a.sql:1: psql's commands (\gset) do not work here: take it out"#),
    ])
  func advice(sql: String, message: String) async throws {
    try await Project.with { project async throws in
      try project.write(sql, to: "migrations/1_a.sql")
      let error = await project.failure()
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
  }

  @Test(
    "A fault in a function's body has its place, whatever the quotes",
    arguments: ["as $$ begin; end $$", "as $x$ begin; end $x$", "as ' begin; end '"])
  func functionBody(body: String) async throws {
    try await Project.with { project async throws in
      try project.write(
        "select 1;\ncreate function f() returns int language plpgsql \(body);", to: "migrations/1_a.sql")
      let error = await project.failure()
      #expect(error?.message.contains("1_a.sql:2: syntax error at or near \";\"") == true, "\(error?.message ?? "")")
      let lines = error?.explanation?.split(separator: "\n") ?? []
      let columns = zip(lines, [";", "^"] as [Character]).map { line, mark in line.prefix { $0 != mark }.count }
      #expect(columns.count == 2 && columns[0] == columns[1], "\(lines)")
    }
  }

  @Test("Files that have changed since they were applied are told and not run, whoever calls them")
  func changed() async throws {
    try await Project.with { project async throws in
      try project.write("create table a (id int);\n\ninsert into a values (1)", to: "migrations/1_a.sql")
      try project.write("-- nothing yet\n", to: "migrations/2_b.sql")
      try project.write("insert into a values (2);\n", to: "seed.sql")
      #expect(try await project.start() == [])
      #expect(try await project.start() == [])
      // As the Supabase command line notes them.
      let noted =
        "select array_to_string(statements, '|') from supabase_migrations.schema_migrations where version = '1'"
      #expect(try await project.value(noted) == "create table a (id int)|insert into a values (1)")
      let digest = "select encode(sha256(convert_to('insert into a values (2);' || chr(10), 'UTF8')), 'hex')"
      #expect(try await project.value("\(digest) = hash from supabase_migrations.seed_files") == "t")

      try project.write("create table a (id int) ;insert into a values (1);;\n", to: "migrations/1_a.sql")
      #expect(try await project.start() == [], "only the white space between statements is another")
      try project.write("create table a (id int); insert into a values (9);", to: "migrations/1_a.sql")
      try project.write("create table b (id int);", to: "migrations/2_b.sql")
      try project.write("insert into a values (3);\n", to: "seed.sql")
      for _ in 0..<2 {
        #expect(try await project.start() == ["migrations/1_a.sql", "migrations/2_b.sql", "seed.sql"])
      }
      #expect(try await project.value("select string_agg(id::text, ' ' order by id) from a") == "1 2")
      try await LocalBackend.resetDatabase(project.configuration)
      #expect(try await project.start() == [])
      #expect(try await project.value("select string_agg(id::text, ' ' order by id) from a") == "3 9")
    }
  }

  @Test("What earlier backends have noted, without statements and hash, is called neither changed nor unchanged")
  func unknown() async throws {
    try await Project.with { project async throws in
      try project.write("create table a (id int);", to: "migrations/1_a.sql")
      try project.write("insert into a values (1);", to: "seed.sql")
      #expect(try await project.start() == [])
      let pool = try PostgresPool(project.url)
      try await pool.executeScript(
        """
        update supabase_migrations.schema_migrations set statements = null;
        update supabase_migrations.seed_files set hash = '';
        """)
      await pool.close()
      try project.write("-- another", to: "migrations/1_a.sql")
      try project.write("-- another", to: "seed.sql")
      #expect(try await project.start() == [])
    }
  }

  @Test("A statement with quotes, backslashes and dollars is noted as it is")
  func quoting() async throws {
    try await Project.with { project async throws in
      let statement = #"select 'it''s; \', e'\'', $$ ' $$, "col""umn" from (select 1 as "col""umn") s"#
      try project.write(statement + ";", to: "migrations/1_a.sql")
      #expect(try await project.start() == [])
      #expect(try await project.value("select statements[1] from supabase_migrations.schema_migrations") == statement)
      #expect(try await project.start() == [])
    }
  }

  @Test("A file that fails says what state it leaves, and a reset drops nothing for files that cannot be run at all")
  func state() async throws {
    try await Project.with { project async throws in
      try project.write("create table a (id int);", to: "migrations/1_a.sql")
      #expect(try await project.start() == [])
      try project.write("insert into a values (1); insert into a values ('x');", to: "seed.sql")
      var error = await project.failure()
      #expect(
        error?.explanation?.hasSuffix("\n  state: nothing of this file is applied; the next start tries it again")
          == true)
      error = await #expect(throws: LocalBackendError.self) {
        try await LocalBackend.resetDatabase(project.configuration)
      }
      let state =
        "state: the database is new; nothing of this file is applied, those before it are; the next start tries it again"
      #expect(error?.explanation?.hasSuffix(state) == true, "\(error?.explanation ?? "")")
      #expect(try await project.value("select count(*) from a") == "0")
      try project.write("insert into a values (1);", to: "seed.sql")
      #expect(try await project.start() == [])
      #expect(try await project.value("select count(*) from a") == "1")

      for (name, sql) in [("seed.sql", "delete from a; commit"), ("migrations/2_b.sql", "\\i other.sql")] {
        try project.write(sql, to: name)
        await #expect(throws: LocalBackendError.self) { try await LocalBackend.resetDatabase(project.configuration) }
        #expect(try await project.value("select count(*) from a") == "1")
        try project.write("", to: name)
      }
    }
  }
}

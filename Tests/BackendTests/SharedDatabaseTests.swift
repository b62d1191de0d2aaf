import FoundationEssentials
import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterPostgres
import Testing

@Suite("Several backends on one database")
struct SharedDatabaseTests {
  @Test("Started at once they prepare it and apply its migrations once, and each serves what another has written")
  func sideBySide() async throws {
    let folder = "/tmp/swiftwater-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for number in 1...5 {
      let sql =
        "select pg_sleep(0.02); create table t\(number) (id int primary key); insert into t\(number) values (0);"
      try Data(sql.utf8).write(to: URL(filePath: "\(folder)/\(number)_t.sql"))
    }
    try Data("insert into t1 values (100)".utf8).write(to: URL(filePath: "\(folder)/seed"))
    try await SharedCluster.withDatabase { url in
      var configuration = LocalBackend.Configuration(
        storage: .database(url), migrations: folder, preparesDatabase: true)
      configuration.seed = "\(folder)/seed"
      let backends = try await withThrowingTaskGroup(of: LocalBackend.self) { [configuration] group in
        for _ in 0..<4 { group.addTask { try await LocalBackend.start(configuration) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(backends.map(\.url)).count == 4)
      for (number, backend) in backends.enumerated() {
        try await TestBackend(backend: backend).client.from("t1").insert(["id": number + 1]).execute()
      }
      for backend in backends {
        let rows = try await TestBackend(backend: backend).client.from("t1").select("id").order("id").execute(
          as: [[String: Int]].self)
        #expect(rows.value.compactMap { $0["id"] } == [0, 1, 2, 3, 4, 100])
        #expect(try await TestBackend(backend: backend).client.from("t5").select().execute().string == #"[{"id":0}]"#)
      }
      for backend in backends { await backend.stop() }
    }
  }

  @Test("A database of others gets nothing that was not asked for")
  func untouched() async throws {
    try await SharedCluster.withDatabase { url in
      let backend = try await LocalBackend.start(.init(storage: .database(url)))
      await backend.stop()
      let pool = try PostgresPool(url)
      let result = try await pool.query(
        """
        select (select count(*) from pg_namespace where nspname in ('auth', 'extensions', 'supabase_migrations')),
          (select count(*) from pg_publication), (select count(*) from pg_default_acl),
          (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
           where datname = current_database())
        """)
      #expect((0..<4).map { result.string(row: 0, column: $0) } == ["0", "0", "0", "0"])
      await pool.close()
    }
  }
}

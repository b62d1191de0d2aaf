import PostgresTestSupport
import Testing

@testable import SwiftwaterPostgres

@Suite("Prepared statements")
struct PoolPreparationTests {
  private func preparedTexts(_ pool: PostgresPool) async throws -> [String?] {
    let statement = PostgresStatement(
      "select statement from pg_prepared_statements order by prepare_time", isPrepared: false)
    let result = try await pool.query(statement)
    return (0..<result.rowCount).map { result.string(row: $0, column: 0) }
  }

  @Test("A text is prepared once per connection, and not at all when told so")
  func reuse() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      for number in 1...5 { _ = try await pool.query("select \(number)::int") }
      _ = try await pool.query(PostgresStatement("select 'direct'", isPrepared: false))
      #expect(try await preparedTexts(pool) == ["select $1::int"])
    }
  }

  @Test("The cache keeps the statements that were used last; the others leave the server too")
  func eviction() async throws {
    try await SharedCluster.withPool({
      $0.maximumConnections = 1
      $0.preparedStatements = 2
    }) { pool in
      for sql in ["select 1", "select 2", "select 1", "select 3", "select 1"] {
        #expect(try await pool.query(PostgresStatement(sql)).string(row: 0, column: 0) == String(sql.suffix(1)))
      }
      #expect(try await preparedTexts(pool) == ["select 1", "select 3"])
      let results = try await pool.execute(["select 4", "select 5", "select 6", "select 4"])
      #expect(results.map { $0.string(row: 0, column: 0) } == ["4", "5", "6", "4"])
      #expect(try await preparedTexts(pool).count == 2)
    }
  }

  @Test("Without a cache nothing is prepared")
  func disabled() async throws {
    try await SharedCluster.withPool({
      $0.maximumConnections = 1
      $0.preparedStatements = 0
    }) { pool in
      _ = try await pool.query("select \(1)::int")
      #expect(try await preparedTexts(pool).isEmpty)
    }
  }

  @Test("A statement that failed to prepare is prepared again when it can be")
  func failedPreparation() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      #expect(await thrown { try await pool.execute(["select 1", "select * from later"]) }?.statementIndex == 1)
      try await pool.executeScript("create table later (id int)")
      #expect(try await pool.query("select * from later").rowCount == 0)
      #expect(try await preparedTexts(pool) == ["select 1", "select * from later"])
    }
  }

  @Test("A changed table and a forgetful session do not show through prepared statements")
  func stalePlans() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      try await pool.executeScript("create table t (a int); insert into t values (1)")
      #expect(try await pool.query("select * from t").columnNames == ["a"])
      try await pool.executeScript("alter table t add b text default 'new'")
      #expect(try await pool.query("select * from t").columnNames == ["a", "b"])
      try await pool.query("deallocate all")
      let results = try await pool.execute(["insert into t values (2)", "select * from t"])
      #expect(results[1].rowCount == 2)
    }
  }

  @Test("The cache gives out a name only when PostgreSQL has confirmed it")
  func cache() {
    var cache = StatementCache(capacity: 2)
    #expect(cache.use("a") == .prepare("s1"))
    #expect(cache.use("a") == .direct)
    cache.prepared("a", as: "s1", true)
    #expect(cache.use("a") == .execute("s1"))
    #expect(cache.use("b") == .prepare("s2"))
    cache.prepared("b", as: "s2", false)
    #expect(cache.use("b") == .prepare("s3"))
    #expect(cache.use("a") == .execute("s1"))
    #expect(cache.use("c") == .prepare("s4"))
    #expect(cache.takeEvicted() == ["s3"])
    cache.prepared("b", as: "s3", true)
    cache.invalidate("a")
    #expect(cache.takeEvicted() == ["s1"])
    #expect(cache.takeEvicted().isEmpty)
  }
}

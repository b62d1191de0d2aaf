import PostgresTestSupport
import SwiftwaterPostgres
import Testing

@Suite("A batch is a transaction")
struct PoolTransactionTests {
  @Test("A script that leaves its transaction open fails")
  func openScript() async throws {
    try await SharedCluster.withDatabase { url in
      let pool = try PostgresPool(url)
      let error = await #expect(throws: PostgresError.self) {
        try await pool.executeScript("begin; create table t (id int)")
      }
      #expect(error?.code == .invalidStatement)
      #expect(try await pool.query("select to_regclass('t')").string(row: 0, column: 0) == nil)
      await pool.close()
    }
  }

  @Test("An error undoes every statement of its batch and no other")
  func atomicity() async throws {
    try await SharedCluster.withPool { pool in
      try await pool.executeScript("create table t (id int primary key)")
      try await pool.execute(["insert into t values (1)", "insert into t values (2)"])
      let error = await thrown {
        try await pool.execute(["insert into t values (3)", "insert into t values (1)", "insert into t values (4)"])
      }
      #expect(error?.sqlState == "23505")
      let rows = try await pool.query("select array_agg(id order by id) from t")
      #expect(rows.string(row: 0, column: 0) == "{1,2}")
    }
  }

  @Test("A commit that fails fails the batch, without blaming a statement")
  func deferredConstraint() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      try await pool.executeScript(
        "create table t (id int unique deferrable initially deferred); insert into t values (1)")
      let error = await thrown { try await pool.execute(["insert into t values (1)", "select 1"]) }
      #expect(error?.sqlState == "23505" && error?.statementIndex == nil)
      #expect(try await pool.query("select * from t").rowCount == 1)
    }
  }

  @Test("A local setting holds to the end of its batch only, with a role too")
  func localSettings() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      let results = try await pool.execute([
        "select set_config('request.claims', \("{\"sub\": 1}"), true), set_config('role', 'pg_read_all_data', true)",
        "select current_setting('request.claims'), current_user",
      ])
      #expect(results[1].string(row: 0, column: 0) == "{\"sub\": 1}")
      #expect(results[1].string(row: 0, column: 1) == "pg_read_all_data")
      let after = try await pool.query("select current_setting('request.claims', true), current_user")
      #expect(after.string(row: 0, column: 0) == "")
      #expect(after.string(row: 0, column: 1) == "postgres")
    }
  }

  @Test("A batch may set its isolation level, even when its statements are not prepared yet")
  func isolationLevel() async throws {
    try await SharedCluster.withPool { pool in
      let results = try await pool.execute([
        "set transaction isolation level serializable", "select current_setting('transaction_isolation')",
      ])
      #expect(results[1].string(row: 0, column: 0) == "serializable")
    }
  }

  @Test("A batch that leaves its transaction open fails, and nobody inherits it")
  func openTransaction() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      try await pool.executeScript("create table t (id int)")
      let error = await thrown { try await pool.execute(["begin", "insert into t values (1)"]) }
      #expect(error?.code == .invalidStatement)
      #expect(try await pool.query("select * from t").rowCount == 0)
      try await pool.execute(["begin", "insert into t values (1)", "commit"])
      #expect(try await pool.query("select * from t").rowCount == 1)
    }
  }

  @Test("No statements, no results")
  func empty() async throws {
    let pool = try PostgresPool("host=/nowhere")
    #expect(try await pool.execute([]).isEmpty)
    await pool.close()
  }
}

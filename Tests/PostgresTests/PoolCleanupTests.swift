import PostgresTestSupport
import SwiftwaterPostgres
import TestSupport
import Testing

@Suite("What runs behind a batch")
struct PoolCleanupTests {
  private static let unlock = ["select pg_advisory_unlock_all()"]

  private func hasNoLocks(_ other: PostgresPool) async throws -> Bool {
    try await eventually {
      try await other.query(
        """
        select 1 from pg_locks join pg_database d on d.oid = database
        where locktype = 'advisory' and datname = current_database()
        """
      ).rowCount == 0
    }
  }

  @Test("It runs at once and on the same connection, whether the batch succeeds, fails, streams or is cancelled")
  func always() async throws {
    try await withTwoPools { pool, other async throws in
      let process = try await pool.query("select pg_backend_pid()").string(row: 0, column: 0)
      let results = try await pool.execute(
        ["select pg_advisory_lock(1)", "select pg_backend_pid()"], cleanup: Self.unlock)
      #expect(results.count == 2 && results[1].string(row: 0, column: 0) == process)
      #expect(try await hasNoLocks(other))

      let error = await thrown {
        try await pool.execute(["select pg_advisory_lock(1)", "select 1 / 0"], cleanup: Self.unlock)
      }
      #expect(error?.sqlState == "22012")
      #expect(try await hasNoLocks(other))

      let rows = try pool.rows(
        of: 1, in: ["select pg_advisory_lock(1)", "select generate_series(1, 1000)"], cleanup: Self.unlock)
      var count = 0
      while try await rows.next() != nil { count += 1 }
      #expect(count >= 1000)
      #expect(try await hasNoLocks(other))

      for _ in 1...5 {
        let task = Task {
          try await pool.execute(["select pg_advisory_lock(1)", "select pg_sleep(600)"], cleanup: Self.unlock)
        }
        #expect(
          try await eventually {
            try await other.query(
              "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
            ).rowCount == 1
          })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await hasNoLocks(other))
      }
      #expect(try await pool.query("select pg_backend_pid()").string(row: 0, column: 0) == process)
    }
  }

  @Test("It is over before the next batch begins")
  func order() async throws {
    try await withTwoPools { pool, _ async throws in
      try await pool.executeScript("create table t (id int)")
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...20 {
          group.addTask {
            try await pool.execute(
              ["insert into t values (1)", "select 1 from t"],
              cleanup: ["select pg_sleep(0.001)", "delete from t"])[1].rowCount
          }
        }
        for try await count in group { #expect(count == 1) }
      }
    }
  }

  @Test("Its errors are nobody's, and undo all of it")
  func errors() async throws {
    try await withTwoPools { pool, _ async throws in
      try await pool.executeScript("create table t (id int)")
      let process = try await pool.query("select pg_backend_pid()").string(row: 0, column: 0)
      try await pool.execute(["insert into t values (1)"], cleanup: ["delete from t", "select 1 / 0"])
      #expect(try await pool.query("select 1 from t").rowCount == 1)
      #expect(try await pool.query("select pg_backend_pid()").string(row: 0, column: 0) == process)
    }
  }
}

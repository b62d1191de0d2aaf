import PostgresTestSupport
import SwiftwaterEventLoop
import TestSupport
import Testing

@testable import SwiftwaterPostgres

@Suite("Cancellation of a caller")
struct PoolCancellationTests {
  /// A batch that holds the lock for a long time, or waits for it.
  private static let hold: [PostgresStatement] = ["select pg_advisory_xact_lock(1)", "select pg_sleep(600)"]

  /// Waits until so many sessions of the database run a query that waits like this.
  private func waits(_ event: String, _ count: Int, _ other: PostgresPool) async throws -> Bool {
    try await eventually {
      let result = try await other.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event = \(event)")
      return result.rowCount == count
    }
  }

  @Test("A batch under way is cancelled in PostgreSQL, and the connection lives on")
  func underWay() async throws {
    try await withTwoPools { pool, other in
      let process = try await pool.query("select pg_backend_pid()").string(row: 0, column: 0)
      for _ in 0..<3 {
        let task = Task { try await pool.execute(["select 1", "select pg_sleep(600)"]) }
        #expect(try await waits("PgSleep", 1, other))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await pool.query("select pg_backend_pid()").string(row: 0, column: 0) == process)
      }
    }
  }

  @Test("Callers who leave before, while and after their batches are sent leave nothing behind")
  func allGone() async throws {
    try await withTwoPools { pool, other in
      let process = try await pool.query("select pg_backend_pid()").string(row: 0, column: 0)
      let batches = (0..<4).map { _ in Batch(["select pg_sleep(600)"]) }
      for batch in batches { pool.core.submit(batch) }
      #expect(try await waits("PgSleep", 1, other))
      for batch in batches {
        batch.completion.finish(.failure(CancellationError()))
        pool.core.abandon(batch)
      }
      #expect(try await pool.query("select pg_backend_pid()").string(row: 0, column: 0) == process)
    }
  }

  @Test("A batch that is cancelled as soon as it is sent ends too, whether PostgreSQL has begun or not")
  func atOnce() async throws {
    try await withTwoPools { pool, _ async throws in
      for _ in 0..<20 {
        let batch = Batch(["select pg_sleep(600)"])
        pool.core.submit(batch)
        batch.finish(.failure(CancellationError()))
        pool.core.abandon(batch)
        #expect(try await pool.query("select 1").rowCount == 1)
      }
    }
  }

  @Test("A batch that waits for a connection is dropped")
  func waiting() async throws {
    try await withTwoPools { pool, other in
      try await other.executeScript("create table t (id int)")
      let first = Task { try await pool.execute(Self.hold) }
      #expect(try await waits("PgSleep", 1, other))
      let second = Batch(["insert into t values (1)"])
      pool.core.submit(second)
      second.completion.finish(.failure(CancellationError()))
      pool.core.abandon(second)
      first.cancel()
      _ = await first.result
      #expect(try await pool.query("select * from t").rowCount == 0)
    }
  }

  @Test("A call in a cancelled task fails before it does anything")
  func cancelledBefore() async throws {
    try await SharedCluster.withPool { pool in
      try await pool.executeScript("create table t (id int)")
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try await pool.query("insert into t values (1)")
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await pool.query("select * from t").rowCount == 0)
    }
  }

  @Test("A script is cancelled in PostgreSQL")
  func script() async throws {
    try await withTwoPools { pool, other async throws in
      let task = Task { try await pool.executeScript("select 1; select pg_sleep(600)") }
      #expect(try await waits("PgSleep", 1, other))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await waits("PgSleep", 0, other))
    }
  }

  @Test("A storm of cancellations leaves every connection usable")
  func storm() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 3 }) { pool async throws in
      await withTaskGroup { group in
        for number in 0..<150 {
          group.addTask {
            let task = Task { try await pool.query("select \(number)::int, pg_sleep(0.002)") }
            if number % 3 == 0 {
              // Before it is sent, while it waits, and under way.
              for _ in 0..<(number % 20 * 20) { await Task.yield() }
              task.cancel()
              _ = await task.result
            } else {
              let result = try? await task.value
              #expect(result?.string(row: 0, column: 0) == "\(number)", "nobody else's cancellation may hit this one")
            }
          }
        }
      }
      #expect(try await pool.query("select 1").rowCount == 1)
    }
  }
}

import PostgresTestSupport
import SwiftwaterEventLoop
import TestSupport
import Testing

@testable import SwiftwaterPostgres

@Suite("Cancellation of a caller")
struct PoolCancellationTests {
  /// A batch that holds the lock for a long time, or waits for it.
  private static let hold: [PostgresStatement] = ["select pg_advisory_xact_lock(1)", "select pg_sleep(600)"]

  /// Another pool on the same database, to look and to be in the way.
  private func withTwoPools(
    depth: Int, _ body: (_ pool: PostgresPool, _ other: PostgresPool) async throws -> Void
  ) async throws {
    try await SharedCluster.withDatabase { url in
      var configuration = PostgresPool.Configuration(url)
      let other = try PostgresPool(configuration)
      configuration.maximumConnections = 1
      configuration.pipelineDepth = depth
      let pool = try PostgresPool(configuration)
      try await body(pool, other)
      await pool.close(grace: .zero)
      await other.close(grace: .zero)
    }
  }

  /// Waits until so many sessions of the database run a query that waits like this.
  private func waits(_ event: String, _ count: Int, _ other: PostgresPool) async throws -> Bool {
    try await eventually {
      let result = try await other.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event = \(event)")
      return result.rowCount == count
    }
  }

  @Test("A batch that is alone on its connection is cancelled in PostgreSQL, and the connection lives on")
  func alone() async throws {
    try await withTwoPools(depth: 4) { pool, other in
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

  @Test("A batch that is cancelled as soon as it is sent ends too, whether PostgreSQL has begun or not")
  func atOnce() async throws {
    try await withTwoPools(depth: 4) { pool, _ async throws in
      for _ in 0..<20 {
        let batch = Batch(["select pg_sleep(600)"])
        pool.core.submit(batch)
        batch.finish(.failure(CancellationError()))
        pool.core.abandon(batch)
        #expect(try await pool.query("select 1").rowCount == 1)
      }
    }
  }

  @Test("Batches that share a connection are cancelled one after the other when all their callers have gone")
  func allGone() async throws {
    try await withTwoPools(depth: 4) { pool, other in
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

  @Test("A batch that waits for a connection is dropped")
  func waiting() async throws {
    try await withTwoPools(depth: 1) { pool, other in
      try await other.executeScript("create table t (id int)")
      let first = Task { try await pool.execute(Self.hold) }
      #expect(try await waits("PgSleep", 1, other))
      let second = Task { try await pool.query("insert into t values (1)") }
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
      first.cancel()
      _ = await first.result
      #expect(try await pool.query("select * from t").rowCount == 0)
    }
  }

  @Test("A batch that shares its connection is not cancelled at the cost of the others")
  func shared() async throws {
    try await withTwoPools(depth: 2) { pool, other async throws in
      let holder = Task { try await other.execute(Self.hold) }
      #expect(try await waits("PgSleep", 1, other))
      let first = Task { try await pool.query("select pg_advisory_xact_lock(1)") }
      #expect(try await waits("advisory", 1, other))
      // The second one must be on the connection before the first is cancelled: the loop does as it is told in order.
      let batch = Batch(["select 'survived'"])
      pool.core.submit(batch)
      await withCheckedContinuation { continuation in pool.core.loop.perform { continuation.resume() } }
      let second = Task { try await batch.completion.value(start: {}, abandoned: {}) }
      #expect(await eventually { batch.completion.isWaiting })
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      holder.cancel()
      _ = await holder.result
      #expect(try await second.value.first?.string(row: 0, column: 0) == "survived")
      #expect(try await pool.query("select 1").rowCount == 1)
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
    try await withTwoPools(depth: 1) { pool, other async throws in
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
              if number % 2 == 0 { try? await Task.sleep(for: .milliseconds(number % 20)) }
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

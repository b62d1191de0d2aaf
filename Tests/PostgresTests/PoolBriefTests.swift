import PostgresTestSupport
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterPostgres

@Suite("Brief batches that follow each other on one connection")
struct PoolBriefTests {
  private let brevity = Brevity()

  private func withPool(
    connections: Int = 1, _ body: (PostgresPool, _ other: PostgresPool) async throws -> Void
  ) async throws {
    try await SharedCluster.withDatabase { url in
      var configuration = PostgresPool.Configuration(url)
      configuration.maximumConnections = connections
      configuration.briskConnections = 1
      let (pool, other) = (try PostgresPool(configuration), try PostgresPool(url))
      try await body(pool, other)
      await pool.close(grace: .zero)
      await other.close(grace: .zero)
    }
  }

  @Test("Each gets its own results, also beside some that fail and some that are not brief")
  func results() async throws {
    try await withPool { pool, _ async throws in
      try await withThrowingTaskGroup { group in
        for number in 0..<200 {
          group.addTask {
            if number % 7 == 0 {
              #expect(await thrown { try await pool.execute(["select 1 / 0"], brevity: brevity) }?.sqlState == "22012")
            } else {
              let results = try await pool.execute(
                ["select 0", "select \(number)::int"], brevity: number % 5 != 0 ? brevity : nil)
              #expect(results.map { $0.string(row: 0, column: 0) } == ["0", "\(number)"])
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("One that is cancelled while it runs leaves those behind it alone", arguments: 0..<10)
  func cancellation(round: Int) async throws {
    try await withPool { pool, other async throws in
      // Known to the connection, so that the next batches do not wait for the connection itself.
      _ = try await pool.query("select 1")
      let slow = Task { try await pool.execute(["select pg_sleep(3600)"], brevity: brevity) }
      let followers = (0..<6).map { number in
        Task { try await pool.execute(["select \(number)::int"], brevity: brevity) }
      }
      let sleepers = "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
      #expect(try await eventually { try await other.query(.init(sleepers)).rowCount == 1 })
      followers[3].cancel()
      slow.cancel()
      #expect(await slow.result.isCancellation)
      for (number, follower) in followers.enumerated() where number != 3 {
        #expect(try await follower.value.first?.string(row: 0, column: 0) == "\(number)")
      }
      // It may have been sent before the slow one.
      switch await followers[3].result {
      case .success(let results): #expect(results.first?.string(row: 0, column: 0) == "3")
      case .failure(let error): #expect(error is CancellationError)
      }
    }
  }

  @Test("Batches are recorded as what they turn out to be")
  func experience() async throws {
    try await withPool { pool, _ async throws in
      _ = try await pool.query("select 1")
      _ = try await pool.execute(["select pg_sleep(0.006)"], brevity: brevity)
      #expect(brevity.slowness.value > 0)
      // A busy machine may delay any of them, but not all.
      let falls = try await eventually {
        let before = brevity.slowness.value
        _ = try await pool.execute(["select 1"], brevity: brevity)
        return brevity.slowness.value < before
      }
      #expect(falls)
    }
  }

  @Test("Statements that turn out to be slow get a connection to themselves, until they are brief again")
  func belief() {
    for _ in 0..<3 {
      #expect(brevity.holds)
      brevity.record(wasBrief: false)
    }
    #expect(!brevity.holds)
    for _ in 0..<100 { brevity.record(wasBrief: false) }
    var brief = 0
    while !brevity.holds, brief < 100 {
      brevity.record(wasBrief: true)
      brief += 1
    }
    #expect(brief == 16, "they forget in time")
  }

  @Test("Those behind one that waits for somebody else's lock are answered elsewhere", .timeLimit(.minutes(1)))
  func slowAfterAll() async throws {
    try await withPool(connections: 3) { pool, other async throws in
      _ = try await other.query("create table locked as select 1 as one")
      let owner = Task {
        try await other.execute(["alter table locked add two int", "select pg_sleep(3600)"])
      }
      let holders = """
        select 1 from pg_locks
        where relation = 'locked'::regclass and granted and mode = 'AccessExclusiveLock'
        """
      #expect(try await eventually { try await other.query(.init(holders)).rowCount == 1 })
      // Known to the connection, so that the next batches do not wait for the connection itself.
      let pid = try #require(
        try await pool.query("select pg_backend_pid()").string(row: 0, column: 0).flatMap { Int($0) })
      let readers = (0..<2).map { _ in Task { try await pool.execute(["select one from locked"], brevity: brevity) } }
      try await withThrowingTaskGroup { group in
        for number in 0..<3 {
          group.addTask { try await pool.execute(["select \(number)::int"], brevity: brevity) }
        }
        let results = try await group.reduce(into: []) { $0.append($1.first?.string(row: 0, column: 0) ?? "") }
        #expect(results.sorted() == ["0", "1", "2"])
      }
      let waiters = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
      #expect(try await eventually { try await other.query(.init(waiters)).rowCount == 2 })
      // What is sent again outlives the connection that it was sent on first.
      _ = try await other.query("select pg_terminate_backend(\(pid)::int)")
      #expect(try await eventually { try await other.query(.init(waiters)).rowCount == 1 })
      owner.cancel()
      var (answers, failures) = (0, 0)
      for reader in readers {
        switch await reader.result {
        case .success(let results): answers += results.first?.string(row: 0, column: 0) == "1" ? 1 : 0
        case .failure(let error): failures += (error as? PostgresError)?.code == .connectionFailed ? 1 : 0
        }
      }
      #expect(answers == 1 && failures == 1)
    }
  }

  @Test("With their connection all are lost, and the next ones get a new one")
  func loss() async throws {
    try await withPool { pool, other async throws in
      let pid = try #require(
        try await pool.query("select pg_backend_pid()").string(row: 0, column: 0).flatMap { Int($0) })
      let tasks = (0..<3).map { _ in Task { try await pool.execute(["select pg_sleep(3600)"], brevity: brevity) } }
      let sleepers = "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
      #expect(try await eventually { try await other.query(.init(sleepers)).rowCount == 1 })
      _ = try await other.query("select pg_terminate_backend(\(pid)::int)")
      let first = await thrown { try await tasks[0].value }
      #expect(first?.code == .connectionFailed)
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
      #expect(try await pool.execute(["select 1"], brevity: brevity).count == 1)
    }
  }
}

extension Result {
  fileprivate var isCancellation: Bool {
    if case .failure(let error) = self { error is CancellationError } else { false }
  }
}

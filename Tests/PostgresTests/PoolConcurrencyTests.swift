import PostgresTestSupport
import TestSupport
import Testing

@testable import SwiftwaterPostgres

@Suite("Many callers on few connections")
struct PoolConcurrencyTests {
  @Test("64 tasks on 4 connections each get their own answers, failures included")
  func manyTasks() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 4 }) { pool in
      try await pool.executeScript("create table t (task int, number int)")
      try await withThrowingTaskGroup { group in
        for task in 0..<64 {
          group.addTask {
            for number in 0..<40 {
              let results = try await pool.execute([
                "select set_config('test.task', \(task), true)",
                "insert into t values (\(task), \(number))",
                "select current_setting('test.task'), \(number)::int",
              ])
              #expect(results[2].string(row: 0, column: 0) == "\(task)")
              #expect(results[2].string(row: 0, column: 1) == "\(number)")
              if number % 10 == 0 {
                let error = await thrown {
                  try await pool.execute(["insert into t values (\(task), \(-1))", "select 1 / \(0)::int"])
                }
                #expect(error?.sqlState == "22012")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let count = try await pool.query("select count(*), min(number) from t")
      #expect(count.string(row: 0, column: 0) == "2560" && count.string(row: 0, column: 1) == "0")
      let open = try await pool.query("select count(*) from pg_stat_activity where datname = current_database()")
      #expect(open.string(row: 0, column: 0) == "4")
    }
  }

  @Test("One caller's batches arrive in the order in which they were sent")
  func order() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      try await pool.executeScript("create table t (id serial, number int)")
      // Handed to the pool directly, so that all of them wait before the first has ended.
      let batches = (0..<100).map { Batch(["insert into t (number) values (\($0))"]) }
      for batch in batches.dropLast() { pool.core.submit(batch) }
      _ = try await batches[99].completion.value {
        pool.core.submit(batches[99])
      } abandoned: {
      }
      let result = try await pool.query("select number from t order by id")
      #expect((0..<100).map { result.string(row: $0, column: 0) } == (0..<100).map { "\($0)" })
    }
  }

  @Test("A pool whose growth the server refuses works with what it has")
  func refusedGrowth() async throws {
    try await SharedCluster.withPool { administration in
      let role = "limited_\(UInt32.random(in: 0 ... .max))"
      try await administration.executeScript("create role \(role) login connection limit 1")
      let database = try await administration.query("select current_database()").string(row: 0, column: 0) ?? ""
      let pool = try PostgresPool(try await SharedCluster.shared.connectionString(database: database, user: role))
      try await withThrowingTaskGroup { group in
        for number in 0..<50 {
          group.addTask {
            let result = try await pool.query("select \(number)::int, pg_sleep(0.001)")
            #expect(result.string(row: 0, column: 0) == "\(number)")
          }
        }
        try await group.waitForAll()
      }
      await pool.close()
      try await administration.executeScript("drop role \(role)")
    }
  }
}

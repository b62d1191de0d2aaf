import PostgresTestSupport
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterPostgres

@Suite("Rows that come one by one")
struct PoolRowsTests {
  private func texts(_ rows: PostgresRows) async throws -> [String] {
    var texts: [String] = []
    while let row = try await rows.next() {
      #expect(row.rowCount == 1)
      texts.append(row.string(row: 0, column: 0) ?? "NULL")
    }
    return texts
  }

  @Test("They come in order, whatever stands before and behind, prepared or not")
  func order() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool async throws in
      let numbers = (1...50).map(String.init)
      for statement: PostgresStatement in [
        "select generate_series(1, 50)", .init("select generate_series(1, 50)", isPrepared: false),
      ] {
        for _ in 0..<3 {
          #expect(try await texts(pool.rows(of: 0, in: [statement])) == numbers)
          #expect(try await texts(pool.rows(of: 1, in: ["select 0", statement, "select 51"])) == numbers)
        }
      }
      #expect(try await texts(pool.rows(of: 0, in: ["select 1 where false"])) == [])
    }
  }

  @Test("Batches behind and before them on the same connection get their own results whole")
  func neighbours() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool async throws in
      try await withThrowingTaskGroup { group in
        for number in 0..<40 {
          group.addTask {
            if number.isMultiple(of: 2) {
              let rows = try pool.rows(of: 0, in: ["select generate_series(1, \(number))"])
              #expect(try await texts(rows) == (0..<number).map { String($0 + 1) })
            } else {
              let result = try await pool.query("select generate_series(1, \(number))")
              #expect(result.rowCount == number)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("The end comes with the commit, and an error behind the rows that came before it")
  func ends() async throws {
    try await SharedCluster.withPool { pool async throws in
      try await pool.executeScript(
        "create table t (id int unique deferrable initially deferred); insert into t values (1)")
      let late = try pool.rows(of: 0, in: ["insert into t values (1) returning id"])
      #expect(try await late.next()?.string(row: 0, column: 0) == "1")
      let commit = await thrown { try await late.next() }
      #expect(commit?.sqlState == "23505")

      let rows = try pool.rows(of: 1, in: ["select 0", "select 10 / (3 - n) from generate_series(1, 9) n"])
      #expect(try await rows.next()?.string(row: 0, column: 0) == "5")
      #expect(try await rows.next()?.string(row: 0, column: 0) == "10")
      let error = await thrown { try await rows.next() }
      #expect(error?.sqlState == "22012")
      #expect(error?.statementIndex == 1)

      let first = try pool.rows(of: 0, in: ["select missing"])
      #expect(await thrown { try await first.next() }?.sqlState == "42703")
      #expect(await thrown { try pool.rows(of: 0, in: ["select \("a\0b")"]) }?.code == .invalidStatement)
    }
  }

  @Test("Bytes come as they are when the statement wants them in binary form")
  func binary() async throws {
    try await SharedCluster.withPool { pool async throws in
      var statement: PostgresStatement = "select 'é'::text, '\\x00ff'::bytea"
      statement.wantsBinary = true
      let row = try await pool.rows(of: 0, in: [statement]).next()
      #expect(row?.string(row: 0, column: 0) == "é")
      #expect(row?.withBytes(row: 0, column: 1) { Array($0) } == [0x00, 0xFF])
    }
  }

  @Test("A reader who pauses keeps the others from the connection for a moment only, and loses nothing")
  func pause() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool async throws in
      // More than all buffers on the way hold.
      let rows = try pool.rows(of: 0, in: ["select repeat('x', 65536) from generate_series(1, 400)"])
      #expect(try await rows.next() != nil)
      #expect(try await pool.query("select 1").rowCount == 1)
      #expect(try await texts(rows).count == 399)
    }
  }

  @Test("Who lets go of the rows, or is cancelled, ends the statement")
  func abandoned() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool async throws in
      var rows: PostgresRows? = try pool.rows(
        of: 0, in: ["select repeat('x', 65536), generate_series(1, 100000000)"])
      #expect(try await rows?.next() != nil)
      rows = nil
      #expect(try await pool.query("select 1").rowCount == 1)

      let sleep = try pool.rows(of: 0, in: ["select pg_sleep(600)"])
      let task = Task { try await sleep.next() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await pool.query("select 1").rowCount == 1)
    }
  }

  @Test("Rows that are taken to the end leave nothing behind")
  func release() async throws {
    try await SharedCluster.withPool { pool async throws in
      let rows = try pool.rows(of: 0, in: ["select 1"])
      weak let released = rows
      #expect(try await texts(rows) == ["1"])
      _ = consume rows
      #expect(await eventuallyReleased { released == nil })
    }
  }

  @Test("Closing the pool ends the reader's wait")
  func closed() async throws {
    try await SharedCluster.withPool { pool async throws in
      let rows = try pool.rows(of: 0, in: ["select pg_sleep(600)"])
      await pool.close(grace: .zero)
      #expect(await thrown { try await rows.next() } != nil)
    }
  }

  @Test("A channel is full at its capacity, has room again at half of it, and none of that once the limit is lifted")
  func channel() async throws {
    let row = try await SharedCluster.withPool { try await $0.query("select 1") }
    let channel = RowChannel()
    for number in 1...RowChannel.capacity { #expect(channel.push(row) == (number < RowChannel.capacity)) }
    var drained = 0
    for taken in 1...RowChannel.capacity {
      _ = try await channel.next { drained = taken }
    }
    #expect(drained == RowChannel.capacity / 2)
    channel.liftLimit()
    for _ in 0..<(3 * RowChannel.capacity) { #expect(channel.push(row)) }
    channel.finish(.success(()))
    #expect(channel.push(row))
    var count = 0
    while try await channel.next(drained: {}) != nil { count += 1 }
    #expect(count == 3 * RowChannel.capacity)
  }
}

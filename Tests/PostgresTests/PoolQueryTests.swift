import PostgresTestSupport
import SwiftwaterPostgres
import Testing

@Suite("Statements and results")
struct PoolQueryTests {
  @Test("Text, numbers, truth, NULL and bytes come back as they were bound")
  func values() async throws {
    try await SharedCluster.withPool { pool in
      let text: String? = "Grüße, 世界 🌊 'quoted' \\ $1"
      let nothing: String? = nil
      let bytes: [UInt8] = [0, 1, 255, 0, 39, 92]
      let result = try await pool.query(
        """
        select \(text)::text as a, \(nothing)::text as b, \(42)::int as c, \(-1.5)::float8 as d, \(true)::bool as e,
          \(bytes)::bytea as f, ''::text as g
        """)
      #expect(result.rowCount == 1)
      #expect(result.columnNames == ["a", "b", "c", "d", "e", "f", "g"])
      #expect(
        (0..<7).map { result.string(row: 0, column: $0) } == [text, nil, "42", "-1.5", "t", "\\x0001ff00275c", ""])
      #expect(result.isNull(row: 0, column: 1) && !result.isNull(row: 0, column: 6))
      #expect(result.withBytes(row: 0, column: 0) { Array($0) } == text.map { Array($0.utf8) })
      #expect(result.string(row: 1, column: 0) == nil && result.string(row: 0, column: -1) == nil)
    }
  }

  @Test("Numbers that text spells differently are bound in PostgreSQL's spelling")
  func exceptionalNumbers() async throws {
    try await SharedCluster.withPool { pool in
      let result = try await pool.query(
        "select \(Double.infinity)::float8, \(-Double.infinity)::float8, \(Double.nan)::float8")
      #expect((0..<3).map { result.string(row: 0, column: $0) } == ["Infinity", "-Infinity", "NaN"])
    }
  }

  @Test("A command tells how many rows it touched")
  func affectedRows() async throws {
    try await SharedCluster.withPool { pool in
      let results = try await pool.execute([
        "create table t (id int)", "insert into t select generate_series(1, 5)", "delete from t where id > 2",
        "select * from t", "",
      ])
      #expect(results.map(\.affectedRowCount) == [0, 5, 3, 2, 0])
      #expect(results.map(\.commandTag) == ["CREATE TABLE", "INSERT 0 5", "DELETE 3", "SELECT 2", ""])
    }
  }

  @Test("A result of 50 MB arrives whole, and so does a parameter of 20 MB")
  func bigValues() async throws {
    try await SharedCluster.withPool { pool in
      let result = try await pool.query("select repeat('x', 50000) from generate_series(1, 1000)")
      #expect(result.rowCount == 1000)
      let bytes = (0..<result.rowCount).reduce(0) { $0 + (result.withBytes(row: $1, column: 0) { $0.count } ?? 0) }
      #expect(bytes == 50_000_000)
      let big = [UInt8](repeating: 7, count: 20_000_000)
      let length = try await pool.query("select length(\(big)::bytea), \(String(repeating: "ä", count: 100_000))")
      #expect(length.string(row: 0, column: 0) == "20000000")
      #expect(length.string(row: 0, column: 1)?.count == 100_000)
    }
  }

  @Test("An error names everything that PostgreSQL says, and the connection lives on")
  func errors() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      let process = try await pool.query("select pg_backend_pid()").string(row: 0, column: 0)
      try await pool.executeScript("create table t (id int constraint positive check (id > 0), name text unique)")

      var error = try #require(await thrown { try await pool.query("select\n  nonsense") })
      #expect(error.code == .statementFailed && error.sqlState == "42703" && error.severity == "ERROR")
      #expect(error.position == 10 && error.line == 2 && error.statementIndex == 0)
      #expect(error.message == #"column "nonsense" does not exist"#)
      #expect("\(error)" == #"column "nonsense" does not exist (42703, line 2)"#)

      error = try #require(await thrown { try await pool.query("insert into t values (\(-1))") })
      #expect(error.sqlState == "23514" && error.constraintName == "positive")
      #expect(error.schemaName == "public" && error.tableName == "t")

      error = try #require(
        await thrown { try await pool.execute(["select 1", "insert into t values (1, 'a'), (2, 'a')", "select 2"]) })
      #expect(
        error.sqlState == "23505" && error.detail == "Key (name)=(a) already exists." && error.statementIndex == 1)

      error = try #require(await thrown { try await pool.query("select lower(1, 2)") })
      #expect(error.hint != nil)

      #expect(try await pool.query("select pg_backend_pid()").string(row: 0, column: 0) == process)
    }
  }

  @Test("What cannot be sent is refused before it is sent")
  func unsendable() async throws {
    try await SharedCluster.withPool { pool in
      let zero = try #require(await thrown { try await pool.query("select \("a\0b")::text") })
      #expect(zero.code == .invalidStatement)
      let text = try #require(await thrown { try await pool.query("select 1\0") })
      #expect(text.code == .invalidStatement)
      let many = PostgresStatement("select 1", Array(repeating: .null, count: 65_536))
      #expect(try #require(await thrown { try await pool.execute(["select 1", many]) }).statementIndex == 1)
      #expect(try #require(await thrown { try await pool.executeScript("select\0 1") }).code == .invalidStatement)
    }
  }

  @Test("COPY is refused and costs one connection, not the pool")
  func copy() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 1 }) { pool in
      try await pool.executeScript("create table t (id int)")
      for sql in ["copy t to stdout", "copy t from stdin"] as [PostgresStatement] {
        let error = await thrown { try await pool.query(sql) }
        #expect(error?.code == .invalidStatement || error?.code == .statementFailed)
        #expect(try await pool.query("select 1").rowCount == 1)
      }
      #expect(await thrown { try await pool.executeScript("copy t from stdin") }?.code == .invalidStatement)
    }
  }

  @Test("Interpolation binds and numbers its values")
  func interpolation() {
    let id = 7
    let statement: PostgresStatement = "select * from t where id = \(id) and name = \("o'hara")"
    #expect(
      statement == PostgresStatement("select * from t where id = $1 and name = $2", [.text("7"), .text("o'hara")]))
    #expect(("select 1" as PostgresStatement).parameters.isEmpty)
  }

  @Test("A result frees PostgreSQL's memory when it is released")
  func resultRelease() async throws {
    try await SharedCluster.withPool { pool in
      weak var released: PostgresResult?
      do {
        let result = try await pool.query("select 1")
        released = result
        #expect(result.rowCount == 1)
      }
      #expect(await eventuallyReleased { released == nil })
    }
  }

  @Test("Scripts run many statements, and their errors tell the line")
  func scripts() async throws {
    try await SharedCluster.withPool { pool in
      try await pool.executeScript(
        """
        create table a (id int);
        insert into a values (1), (2);
        do $$ begin raise notice 'dropped silently'; end $$;
        set search_path = nowhere;
        """)
      #expect(try await pool.query("select * from a").rowCount == 2)

      let error = try #require(
        await thrown {
          try await pool.executeScript("-- Grüße 🌊\r\ninsert into a values (3);\n\nselect * from nowhere_at_all;\n")
        })
      #expect(error.sqlState == "42P01" && error.line == 4 && error.statementIndex == 1)
      #expect(try await pool.query("select * from a").rowCount == 2, "the script was one transaction")

      let late = try #require(
        await thrown { try await pool.executeScript("select 1; select 2; select 1 / 0; select 3") })
      #expect(late.sqlState == "22012" && late.statementIndex == 2 && late.line == nil)
      try await pool.executeScript("")
    }
  }
}

import PostgresTestSupport
import SwiftwaterPostgres
import Testing

@Suite("A pool that acts as another user")
struct PoolSessionUserTests {
  private static let role = "session \"user\" of tests"

  private func withRole<Result>(_ body: () async throws -> Result) async throws -> Result {
    // Roles belong to the whole server: only this suite's one test that makes it uses it.
    try await SharedCluster.withPool { pool in
      try await pool.executeScript(
        """
        drop role if exists "session ""user"" of tests", session_user_target;
        create role session_user_target;
        create role "session ""user"" of tests" noinherit in role session_user_target;
        """)
    }
    let result = try await body()
    try await SharedCluster.withPool { pool in
      try await pool.executeScript(#"drop role "session ""user"" of tests", session_user_target"#)
    }
    return result
  }

  @Test("Each connection may take on the user's roles and no other, also after RESET ALL")
  func rights() async throws {
    try await withRole {
      try await SharedCluster.withPool {
        $0.sessionUser = Self.role
      } _: { pool async throws in
        for _ in 0..<3 {
          let result = try await pool.query("select session_user::text, current_setting('is_superuser')")
          #expect(result.string(row: 0, column: 0) == Self.role)
          #expect(result.string(row: 0, column: 1) == "off")
          try await pool.query("reset all")
        }
        let taken = try await pool.execute([
          "select set_config('role', 'session_user_target', true)", "select current_user::text",
        ])
        #expect(taken[1].string(row: 0, column: 0) == "session_user_target")
        let error = await thrown { try await pool.query("select set_config('role', 'postgres', true)") }
        #expect(error?.sqlState == "42501")
      }
    }
  }

  @Test("A user who does not exist makes the pool unavailable, with PostgreSQL's reason, and nothing runs as another")
  func missing() async throws {
    try await SharedCluster.withPool {
      $0.sessionUser = "nobody of this name"
    } _: { pool async throws in
      let error = await thrown { try await pool.query("select 1") }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("nobody of this name") == true, "\(String(describing: error))")
    }
  }
}

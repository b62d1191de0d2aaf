public import SwiftwaterPostgres

/// One throw-away cluster for all tests of a process, started by the first that needs it. Its guard stops it and
/// removes it when the process ends.
public enum SharedCluster {
  // Lives as long as the process, so nothing has to cancel it.
  private static let starting = Task {
    var configuration = PostgresCluster.Configuration.temporary
    configuration.settings["max_connections"] = "300"
    let cluster = try await PostgresCluster.start(configuration)
    return (cluster, try PostgresPool(cluster.connectionString()))
  }

  /// The cluster.
  public static var shared: PostgresCluster {
    get async throws { try await starting.value.0 }
  }

  /// Calls `body` with the connection string of a fresh database, which is dropped afterwards.
  ///
  /// - Parameter template: the database to copy; nobody may be connected to it.
  public static func withDatabase<Result>(
    template: String = "template1", _ body: (_ url: String) async throws -> Result
  ) async throws -> Result {
    let (cluster, administration) = try await starting.value
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    try await execute("create database \(name) template \(template)", administration)
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await body(cluster.connectionString(database: name)))
    } catch {
      result = .failure(error)
    }
    // In a task of its own: the test's own may be cancelled.
    try await Task { try await execute("drop database \(name) with (force)", administration) }.value
    return try result.get()
  }

  /// PostgreSQL gives those who are on their way out of a database five seconds, of which a busy machine takes no notice.
  private static func execute(_ sql: String, _ administration: PostgresPool) async throws {
    for _ in 0..<20 {
      do {
        return try await administration.executeScript(sql)
      } catch let error as PostgresError where error.sqlState == "55006" {
        continue
      }
    }
    try await administration.executeScript(sql)
  }

  /// Calls `body` with a pool on a fresh database; both are gone afterwards.
  public static func withPool<Result>(
    _ configure: (inout PostgresPool.Configuration) -> Void = { _ in },
    _ body: (PostgresPool) async throws -> Result
  ) async throws -> Result {
    try await withDatabase { url in
      var configuration = PostgresPool.Configuration(url)
      configure(&configuration)
      let pool = try PostgresPool(configuration)
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body(pool)) } catch { result = .failure(error) }
      await pool.close()
      return try result.get()
    }
  }
}

import PostgresTestSupport
import SwiftwaterPostgres
import SwiftwaterStreams
import TestSupport

/// The error that `body` throws, if it is ours.
func thrown<Result>(_ body: () async throws -> Result) async -> PostgresError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? PostgresError
  }
}

/// Deallocation may be a few instructions behind the last use.
func eventuallyReleased(_ isReleased: () -> Bool) async -> Bool {
  await eventually { isReleased() }
}

/// A pool with one connection, and another one on the same database to look.
func withTwoPools(_ body: (_ pool: PostgresPool, _ other: PostgresPool) async throws -> Void) async throws {
  try await SharedCluster.withDatabase { url in
    var configuration = PostgresPool.Configuration(url)
    let other = try PostgresPool(configuration)
    configuration.maximumConnections = 1
    let pool = try PostgresPool(configuration)
    try await body(pool, other)
    await pool.close(grace: .zero)
    await other.close(grace: .zero)
  }
}

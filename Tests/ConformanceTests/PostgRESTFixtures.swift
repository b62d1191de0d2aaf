import FoundationEssentials
import SwiftwaterPostgres
import TestSupport
import Testing

/// The database of the outside cases, on a cluster of its own.
struct PostgRESTFixtures {
  static let folder = Conformance.folder + "/postgrest"

  private let cluster: PostgresCluster
  /// How the server connects.
  let connection: String
  /// What of the cases' requirements there is.
  let features: Set<String>

  static func load() async throws -> PostgRESTFixtures {
    let installation = try await PostgresInstallation.find()
    var configuration = PostgresCluster.Configuration.temporary
    configuration.settings["timezone"] = "utc"
    let cluster = try await PostgresCluster.start(configuration)
    do {
      return try await load(installation, cluster)
    } catch {
      await cluster.stop()
      throw error
    }
  }

  private static func load(
    _ installation: PostgresInstallation, _ cluster: PostgresCluster
  ) async throws -> PostgRESTFixtures {
    let administration = try PostgresPool(cluster.connectionString())
    try await administration.query("CREATE ROLE \"Postgrest_Test_Authenticator\" LOGIN NOINHERIT")
    try await administration.query("CREATE DATABASE conformance")
    let found = try await administration.query(
      "SELECT name FROM pg_available_extensions WHERE name IN ('postgis', 'safeupdate')")
    let features = Set((0..<found.rowCount).compactMap { found.string(row: $0, column: 0) })
    await administration.close()
    let database = cluster.connectionString(database: "conformance")
    let psql = try ChildProgram(
      "/usr/bin/env",
      [
        "PGTZ=utc", "PGOPTIONS=-c search_path=public,test", "\(installation.binaries)/psql", "-q", "-v",
        "PGUSER=Postgrest_Test_Authenticator", "-f", "\(folder)/fixtures/load.sql", database,
      ])
    let status = await psql.status()
    try #require(status == 0, "\(psql.output.suffix(2000))")
    let owner = try PostgresPool(database)
    try await owner.query("VACUUM ANALYZE")
    await owner.close()
    return PostgRESTFixtures(
      cluster: cluster,
      connection: cluster.connectionString(database: "conformance", user: "Postgrest_Test_Authenticator"),
      features: features)
  }

  func stop() async {
    await cluster.stop()
  }
}

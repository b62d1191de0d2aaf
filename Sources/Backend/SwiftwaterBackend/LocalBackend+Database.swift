internal import SwiftwaterPostgres

// What can be done with a backend's database alone, whether a backend runs on it or not.
extension LocalBackend {
  /// Drops everything in the database, makes again what the services need, and applies migrations and seed.
  ///
  /// A backend that runs on the database goes on; its requests find the old tables, then none, then the new ones. To reset
  /// the database of a running backend take its `databaseConnection` for the storage: a data folder must not be in use.
  ///
  /// - Throws: `LocalBackendError`. Files that cannot be read or hold what can never run leave everything as it is; when
  ///   PostgreSQL refuses a statement of one, those before it are applied in the new database, and a start goes on with it.
  ///   `CancellationError`.
  public static func resetDatabase(_ configuration: Configuration) async throws {
    try Migrations.check(configuration)
    try await withServer(configuration) { server in
      try await Reset.run(on: server.administration)
      try await Migrations.apply(configuration, to: server.administration, isReset: true)
      try await server.administration.executeScript(Migrations.announcement)
    }
  }

  /// Starts PostgreSQL without the services, or takes the one that runs, calls `body` with a connection string for its
  /// owner, and stops what it has started.
  ///
  /// - Throws: as `start(_:)`, and what `body` throws.
  public static func withDatabase<Result: Sendable>(
    _ configuration: Configuration, _ body: (_ connection: String) async throws -> Result
  ) async throws -> Result {
    try await withServer(configuration) { try await body($0.connection) }
  }

  /// The path of one of PostgreSQL's programs for users, such as `psql` and `pg_dump`.
  ///
  /// - Throws: `LocalBackendError` when PostgreSQL or the program is not installed.
  public static func databaseProgram(_ name: String) async throws -> String {
    do {
      return try await PostgresInstallation.find().client(name)
    } catch {
      throw LocalBackendError.wrap(error)
    }
  }

  private static func withServer<Result: Sendable>(
    _ configuration: Configuration, _ body: (DatabaseServer) async throws -> Result
  ) async throws -> Result {
    do {
      let server = try await DatabaseServer.open(configuration.storage)
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body(server)) } catch { result = .failure(error) }
      await server.close()
      return try result.get()
    } catch {
      throw LocalBackendError.wrap(error)
    }
  }
}

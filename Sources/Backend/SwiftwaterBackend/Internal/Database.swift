internal import SwiftwaterPostgres

/// The PostgreSQL behind the services: a private cluster or a server that runs already.
struct Database {
  /// How an administrator connects.
  let connection: String
  /// The owner's pool: migrations and what the program itself asks.
  let administration: PostgresPool
  /// The pool of the services' requests, whose user may take on the callers' roles and nothing else.
  let requests: PostgresPool
  private let cluster: PostgresCluster?

  /// Starts or reaches the database and prepares it if that is wanted.
  static func open(_ configuration: LocalBackend.Configuration) async throws -> Database {
    switch configuration.storage {
    case .database(let url):
      return try await open(
        cluster: nil, administration: url, requests: url, isPrepared: configuration.preparesDatabase)
    case .folder(let path):
      return try await open(cluster: .start(.init(folder: path)))
    case .temporary:
      return try await open(cluster: .start(.temporary))
    }
  }

  private static func open(cluster: PostgresCluster) async throws -> Database {
    do {
      return try await open(
        cluster: cluster, administration: cluster.connectionString(),
        requests: cluster.connectionString(user: "authenticator"), isPrepared: true)
    } catch {
      // In a task of its own, which the caller's cancellation does not reach: the folder is free when this returns.
      await Task { await cluster.stop() }.value
      throw error
    }
  }

  private static func open(
    cluster: PostgresCluster?, administration: String, requests: String, isPrepared: Bool
  ) async throws -> Database {
    var settings = PostgresPool.Configuration(administration)
    settings.maximumConnections = 2
    let database = Database(
      connection: administration, administration: try PostgresPool(settings), requests: try PostgresPool(requests),
      cluster: cluster)
    do {
      if isPrepared { try await Bootstrap.prepare(database.administration) }
      // A server that does not answer, or a user that does not exist, is better known now than with the first request.
      _ = try await database.requests.query("SELECT 1")
      return database
    } catch {
      await database.closePools()
      throw error
    }
  }

  /// Finishes what runs and stops the cluster.
  func close() async {
    await closePools()
    await cluster?.stop()
  }

  private func closePools() async {
    await requests.close()
    await administration.close()
  }
}

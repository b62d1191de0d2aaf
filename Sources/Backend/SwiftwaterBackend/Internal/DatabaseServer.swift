internal import SwiftwaterPostgres

/// A private cluster, or a server that runs already, and its administrator's way in.
struct DatabaseServer {
  /// How an administrator connects.
  let connection: String
  /// The owner's pool: migrations and what the program itself asks.
  let administration: PostgresPool
  let cluster: PostgresCluster?

  /// Starts or reaches PostgreSQL. (A server that runs already is not asked anything yet.)
  static func open(_ storage: LocalBackend.Configuration.Storage) async throws -> DatabaseServer {
    switch storage {
    case .database(let url): return try DatabaseServer(url, cluster: nil)
    case .folder(let path): return try await start(.init(folder: path))
    case .temporary: return try await start(.temporary)
    }
  }

  private static func start(_ configuration: PostgresCluster.Configuration) async throws -> DatabaseServer {
    let cluster = try await PostgresCluster.start(configuration)
    do {
      return try DatabaseServer(cluster.connectionString(), cluster: cluster)
    } catch {
      await stop(cluster)
      throw error
    }
  }

  private init(_ connection: String, cluster: PostgresCluster?) throws {
    self.connection = connection
    self.cluster = cluster
    var settings = PostgresPool.Configuration(connection)
    settings.maximumConnections = 2
    administration = try PostgresPool(settings)
  }

  /// Finishes what runs and stops the cluster.
  func close() async {
    await administration.close()
    if let cluster { await Self.stop(cluster) }
  }

  /// In a task of its own, which the caller's cancellation does not reach: the folder is free when this returns.
  private static func stop(_ cluster: PostgresCluster) async {
    await Task { await cluster.stop() }.value
  }
}

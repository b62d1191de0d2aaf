internal import FoundationEssentials
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
  private let temporaryFolder: String?

  static func open(_ configuration: LocalBackend.Configuration) async throws -> Database {
    var cluster: PostgresCluster?
    var temporaryFolder: String?
    do {
      let connection: String
      switch configuration.storage {
      case .database(let url):
        connection = url
      case .folder(let path):
        cluster = try await PostgresCluster.start(.init(dataFolder: path))
        connection = cluster?.connection ?? ""
      case .temporary:
        let folder = try TemporaryFolder.make()
        temporaryFolder = folder
        cluster = try await PostgresCluster.start(.init(dataFolder: folder, durability: .none))
        connection = cluster?.connection ?? ""
      }
      return try await Database(connection, configuration, cluster: cluster, temporaryFolder: temporaryFolder)
    } catch {
      await cluster?.stop()
      temporaryFolder.map(TemporaryFolder.remove)
      throw LocalBackendError.wrap(error)
    }
  }
}

internal import FoundationEssentials
internal import SwiftwaterEventLoop
internal import SwiftwaterPostgres

/// The PostgreSQL behind the services.
struct Database {
  let server: DatabaseServer
  /// The pool of the services' requests, whose user may take on the callers' roles and nothing else.
  let requests: PostgresPool
  /// The owner's pool for Auth.
  let auth: PostgresPool
  /// The owner's pool for Auth's hashes of passwords, each of which keeps a processor busy for a while.
  let passwords: PostgresPool
  /// The thread of these three pools, which the HTTP server shares: a request goes through without changing threads. Nil where
  /// connecting might hold up the server.
  let loop: EventLoop?

  /// The owner's pool: migrations and what the program itself asks.
  var administration: PostgresPool { server.administration }

  /// Starts or reaches the database and prepares it if that is wanted.
  static func open(_ configuration: LocalBackend.Configuration) async throws -> Database {
    let server = try await DatabaseServer.open(configuration.storage)
    do {
      if configuration.preparesDatabase { try await Bootstrap.prepare(server.administration) }
      var settings = try await requestSettings(server)
      let loop = settings.looksUpNames ? nil : try EventLoop(name: "backend")
      settings.sharedLoop = loop
      let requests = try PostgresPool(settings)
      var authSettings = PostgresPool.Configuration(server.connection)
      authSettings.sharedLoop = loop
      authSettings.maximumConnections = 4
      let auth = try PostgresPool(authSettings)
      authSettings.maximumConnections = ProcessInfo.processInfo.activeProcessorCount
      let passwords = try PostgresPool(authSettings)
      do {
        // A server that does not answer, or a user that does not exist, is better known now than with the first request.
        _ = try await requests.query("SELECT 1")
        return Database(server: server, requests: requests, auth: auth, passwords: passwords, loop: loop)
      } catch {
        await requests.close()
        await auth.close()
        await passwords.close()
        throw error
      }
    } catch {
      await server.close()
      throw error
    }
  }

  private static let authenticator = "authenticator"

  private static func requestSettings(_ server: DatabaseServer) async throws -> PostgresPool.Configuration {
    if let cluster = server.cluster {
      var settings = PostgresPool.Configuration(cluster.connectionString(user: authenticator))
      // It has our processors, and nothing to wait for but them and the disk.
      settings.briskConnections = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)
      return settings
    }
    var settings = PostgresPool.Configuration(server.connection)
    let result = try await server.administration.query(
      """
      SELECT rolsuper AND EXISTS (SELECT FROM pg_roles WHERE rolname = \(authenticator))
      FROM pg_roles WHERE rolname = current_user
      """)
    if result.string(row: 0, column: 0) == "t" { settings.sessionUser = authenticator }
    return settings
  }

  /// Finishes what runs and stops the cluster.
  func close() async {
    await requests.close()
    await auth.close()
    await passwords.close()
    await server.close()
  }
}

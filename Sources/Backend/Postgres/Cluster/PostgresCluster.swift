/// A PostgreSQL server of our own: created on first use, started, watched and stopped by this process.
///
///     let cluster = try await PostgresCluster.start(.init(folder: "/var/lib/app/postgres"))
///     let pool = try PostgresPool(cluster.connectionString())
///     …
///     await pool.close()
///     await cluster.stop()
///
/// The server listens on a Unix socket in a private folder only, with `wal_level=logical` and UTF-8. It stops when
/// `stop` is called, when the value is released, and when this process dies, however it dies. A server that dies by
/// itself is started again under the same connection string, after a growing pause; PostgreSQL's own recovery brings
/// every committed row back.
///
/// The folder holds `data` (PostgreSQL's data folder), `server.log` and `lock`. When this process is root, PostgreSQL
/// runs as the user `postgres` or else `nobody`, who must be able to enter the folder; folders that exist already keep
/// their owner and permissions.
///
/// - Threading: safe from any task. Each cluster has one thread.
public final class PostgresCluster: Sendable {
  private let supervisor: ClusterSupervisor

  private init(_ supervisor: ClusterSupervisor) { self.supervisor = supervisor }

  deinit {
    supervisor.requestStop()
  }

  /// Creates the cluster if it does not exist, starts the server and returns when it takes connections.
  ///
  /// Creating takes about a second, starting a fraction of one, or as long as PostgreSQL recovers from a crash. When
  /// it throws, also because the calling task is cancelled, nothing is left running and the folder is free.
  ///
  /// - Throws: `CancellationError`, or `PostgresError` with `.notInstalled`, `.alreadyInUse` (another backend has the
  ///   folder), `.folderNotAccessible` or `.startFailed`, which quotes the server's last words.
  public static func start(_ configuration: Configuration) async throws -> PostgresCluster {
    let supervisor = ClusterSupervisor(configuration)
    try await supervisor.start()
    return PostgresCluster(supervisor)
  }

  /// Stops the server without waiting for its clients, and returns when nothing is left of it but the folder.
  /// Stopping twice is fine. When the calling task is cancelled, the server stops in the background.
  public func stop() async {
    await supervisor.stop()
  }

  /// A connection string for `PostgresPool`, `psql` and every other user of libpq. The same after a restart.
  public func connectionString(database: String = "postgres", user: String = "postgres") -> String {
    // With the port, which else would be that of a `PGPORT` in the environment.
    "postgresql://\(Self.encoded(user))@/\(Self.encoded(database))?host=\(Self.encoded(supervisor.socketFolder))&port=5432"
  }

  /// How often the server has been started again because it had died by itself.
  public var restartCount: Int { supervisor.restartCount }

  /// The server's process, `nil` while it does not run.
  package var serverProcess: Int32? { supervisor.serverProcess }

  /// The folder of the socket.
  package var socketFolder: String { supervisor.socketFolder }

  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { result, byte in
      let character = Character(UnicodeScalar(byte))
      if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
        result.append(character)
      } else {
        result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}

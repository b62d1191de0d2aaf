extension LocalBackend {
  /// What a backend keeps where.
  public struct Configuration: Sendable {
    /// Where the rows lie.
    public enum Storage: Sendable, Hashable {
      /// In a new folder that is removed when the backend stops.
      case temporary
      /// In this folder, made when it is missing, to be found again next time.
      case folder(String)
      /// In a PostgreSQL server that runs already, by its `postgresql://` URL or libpq connection string.
      case database(String)
    }

    /// The port on the loopback interface; 0 takes a free one.
    public var port: Int
    /// Where the rows lie.
    public var storage: Storage
    /// A folder of `*.sql` files that are applied in the order of their names, each once; nil for none.
    public var migrations: String?
    /// Whether roles, schemas and grants that the services need are created where they are missing. By default they are,
    /// but not in a database that the backend does not own.
    public var preparesDatabase: Bool
    /// Signs and verifies tokens (HS256).
    public var jwtSecret: String

    /// A free port and throw-away data unless told otherwise.
    public init(
      port: Int = 0, storage: Storage = .temporary, migrations: String? = nil, preparesDatabase: Bool? = nil,
      jwtSecret: String = developmentSecret
    ) {
      self.port = port
      self.storage = storage
      self.migrations = migrations
      if case .database = storage {
        self.preparesDatabase = preparesDatabase ?? false
      } else {
        self.preparesDatabase = true
      }
      self.jwtSecret = jwtSecret
    }

    /// The secret that local Supabase projects share. Everybody knows it: it protects nothing, and keys made with it work
    /// in every local project.
    public static let developmentSecret = "super-secret-jwt-token-with-at-least-32-characters-long"
  }
}

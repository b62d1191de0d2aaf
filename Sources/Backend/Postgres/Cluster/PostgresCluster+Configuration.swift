extension PostgresCluster {
  /// Where a cluster lives and how careful it is.
  public struct Configuration: Sendable {
    /// What survives a crash of the machine. A crash of the server or of this process loses no committed row in either
    /// case.
    public enum Durability: Sendable {
      /// Everything committed.
      case full
      /// Nothing: PostgreSQL does not wait for the disk, which makes tests fast.
      case none
    }

    /// The cluster's folder; `nil` for a throw-away cluster under /tmp that is removed with the server.
    public var folder: String?
    /// `.full` for a named folder, `.none` for a throw-away cluster unless set.
    public var durability: Durability
    /// More of PostgreSQL's settings, such as `max_connections`. The backend's own win: `listen_addresses`,
    /// `unix_socket_directories`, `port`, `wal_level` and those behind `durability`.
    public var settings: [String: String] = [:]

    /// A lasting cluster in this folder, which is created with the folders above it if it is missing.
    public init(folder: String) {
      self.folder = folder
      durability = .full
    }

    private init() {
      durability = .none
    }

    /// A cluster that is gone, with all its data, when it stops.
    public static var temporary: Configuration { Configuration() }
  }
}

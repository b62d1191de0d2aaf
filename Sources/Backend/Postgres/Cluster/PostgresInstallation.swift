#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A PostgreSQL whose server programs are installed on this machine.
public struct PostgresInstallation: Sendable, Hashable {
  /// The oldest major version that the backend works with.
  public static let oldestMajorVersion = 15

  /// The folder of `initdb` and `postgres`.
  public let binaries: String
  /// 15 for "15.4".
  public let majorVersion: Int

  /// The newest PostgreSQL of at least version 15 in the places where Debian, Red Hat and Homebrew put it and in
  /// `PATH`; where `SWIFTWATER_POSTGRES_BIN` is set, the one in that folder and no other.
  ///
  /// - Parameter majorVersion: the only version to accept.
  /// - Throws: `PostgresError` with `.notInstalled`, which says how to install one.
  @concurrent
  public static func find(majorVersion: Int? = nil) async throws(PostgresError) -> PostgresInstallation {
    try locate(majorVersion: majorVersion)
  }

  /// The path of one of PostgreSQL's programs for users, such as `psql`: beside the server's, or else in `PATH`.
  ///
  /// - Throws: `PostgresError` with `.notInstalled`.
  public func client(_ name: String) throws(PostgresError) -> String {
    let path = Self.environmentVariable("PATH") ?? ""
    let folders = [binaries] + path.split(separator: ":").map(String.init)
    guard let found = folders.map({ "\($0)/\(name)" }).first(where: Files.isExecutable) else {
      throw PostgresError(
        .notInstalled,
        """
        \(name) is not installed: "apt-get install postgresql-client" on Debian and Ubuntu, "brew install libpq" on \
        macOS
        """)
    }
    return found
  }

  /// `find` for a thread that may block: runs `postgres --version`.
  static func locate(
    majorVersion: Int? = nil, environment: (String) -> String? = Self.environmentVariable
  ) throws(PostgresError) -> PostgresInstallation {
    if let folder = environment("SWIFTWATER_POSTGRES_BIN") {
      guard let found = PostgresInstallation(binaries: folder), found.isUsable(majorVersion) else {
        throw PostgresError(
          .notInstalled,
          "SWIFTWATER_POSTGRES_BIN=\(folder) does not hold the programs of PostgreSQL \(wanted(majorVersion))")
      }
      return found
    }
    let found = candidates(path: environment("PATH") ?? "").compactMap(PostgresInstallation.init(binaries:))
    let usable = found.filter { $0.isUsable(majorVersion) }
    guard let newest = usable.max(by: { $0.majorVersion < $1.majorVersion }) else {
      throw PostgresError(
        .notInstalled,
        """
        PostgreSQL \(wanted(majorVersion)) is not installed: "apt-get install postgresql" on Debian and Ubuntu, \
        "brew install postgresql@\(majorVersion ?? 17)" on macOS, or set SWIFTWATER_POSTGRES_BIN to the folder of \
        "initdb" and "postgres"
        """)
    }
    return newest
  }

  /// Reads the version of the programs in a folder; `nil` if they are not there.
  private init?(binaries: String) {
    guard ["initdb", "postgres"].allSatisfy({ Files.isExecutable("\(binaries)/\($0)") }),
      let answer = try? ChildProcess.output(of: ["\(binaries)/postgres", "--version"]), answer.status == 0,
      // "postgres (PostgreSQL) 15.4 (Debian 15.4-1)", "postgres (PostgreSQL) 19devel"
      let version = answer.text.split(separator: " ").first(where: { $0.first?.isNumber == true }),
      let majorVersion = Int(version.prefix(while: \.isNumber))
    else { return nil }
    self.binaries = binaries
    self.majorVersion = majorVersion
  }

  private func isUsable(_ wanted: Int?) -> Bool {
    wanted.map { $0 == majorVersion } ?? (majorVersion >= Self.oldestMajorVersion)
  }

  private static func wanted(_ majorVersion: Int?) -> String {
    majorVersion.map { "\($0)" } ?? "\(oldestMajorVersion) or newer"
  }

  private static func candidates(path: String) -> [String] {
    let patterns = [
      "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin",
      "/usr/local/opt/postgresql*/bin", "/usr/local/pgsql/bin",
    ]
    return patterns.flatMap(Files.matching) + path.split(separator: ":").map(String.init)
  }

  static func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

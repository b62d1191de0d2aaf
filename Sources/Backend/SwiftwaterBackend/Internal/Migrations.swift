internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// Applies a folder's SQL files in the order of their names, each once and as a whole, and then a seed, once.
///
/// Several backends may do so on one database at the same time: whoever comes second finds it done.
struct Migrations {
  let pool: PostgresPool
  let report: (@Sendable (LocalBackend.Progress) -> Void)?

  init(_ configuration: LocalBackend.Configuration, _ pool: PostgresPool) {
    self.pool = pool
    report = configuration.onProgress
  }

  /// Applies what the configuration names.
  static func apply(_ configuration: LocalBackend.Configuration, to pool: PostgresPool) async throws {
    let migrations = Migrations(configuration, pool)
    let names = try configuration.migrations.map(Self.names) ?? []
    guard !names.isEmpty || configuration.seed != nil else { return }
    try await pool.executeScript(tables)
    var steps: [Step] = []
    if let folder = configuration.migrations, !names.isEmpty {
      let applied = try await migrations.values("SELECT version FROM supabase_migrations.schema_migrations")
      steps = names.filter { !applied.contains(version(of: $0)) }.map { name in
        let title = name.dropLast(4).split(separator: "_", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        return Step(path: "\(folder)/\(name)", table: "schema_migrations", key: version(of: name), other: title)
      }
    }
    if let seed = configuration.seed {
      let applied = try await migrations.values("SELECT path FROM supabase_migrations.seed_files")
      let key = Self.seedKey(seed)
      if !applied.contains(key) { steps.append(Step(path: seed, table: "seed_files", key: key, other: "")) }
    }
    for (index, step) in steps.enumerated() {
      migrations.report?(.init(file: step.path, index: index + 1, count: steps.count))
      try await migrations.run(step)
    }
    if !steps.isEmpty { try await pool.executeScript(announcement) }
  }

  /// PostgREST's way to say that tables have changed.
  static let announcement = "NOTIFY pgrst, 'reload schema'"

  /// A file that is run once, and where that is noted.
  private struct Step {
    var path: String
    var table: String
    var key: String
    var other: String
    var keyColumn: String { table == "seed_files" ? "path" : "version" }
    var otherColumn: String { table == "seed_files" ? "hash" : "name" }
  }

  private static let isDone = "SW001"
  private static let lock = "hashtext('swiftwater migrations')"

  private func run(_ step: Step) async throws {
    let table = "supabase_migrations.\(step.table)"
    // The lock ends with the transaction: who waited for it sees what the other has noted.
    let first = """
      DO $swiftwater$ BEGIN PERFORM pg_advisory_xact_lock(\(Self.lock)); \
      IF EXISTS (SELECT FROM \(table) WHERE \(step.keyColumn) = \(Self.literal(step.key))) \
      THEN RAISE EXCEPTION USING ERRCODE = '\(Self.isDone)'; END IF; END $swiftwater$
      """
    let last = """
      INSERT INTO \(table) (\(step.keyColumn), \(step.otherColumn))
      VALUES (\(Self.literal(step.key)), \(Self.literal(step.other)))
      """
    do {
      try await SQLFile(step.path).run(after: first, before: last, on: pool)
    } catch let error as PostgresError where error.sqlState == Self.isDone {
      // Another backend was faster.
    }
  }

  private func values(_ sql: PostgresStatement) async throws -> Set<String> {
    let result = try await pool.query(sql)
    return Set((0..<result.rowCount).compactMap { result.string(row: $0, column: 0) })
  }

  /// The folder's files in order.
  private static func names(in folder: String) throws(LocalBackendError) -> [String] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
        // Hidden files are those that editors leave behind.
        .filter { $0.hasSuffix(".sql") && !$0.hasPrefix(".") }.sorted()
    } catch {
      throw LocalBackendError(
        code: .inputMissing, message: "The migrations folder \(folder) cannot be read.", underlyingError: error)
    }
    // Two files of one version need not be neighbours: `10.sql` comes between `1.sql` and `1_a.sql`.
    var namesByVersion: [String: String] = [:]
    for name in names {
      guard let other = namesByVersion.updateValue(name, forKey: version(of: name)) else { continue }
      throw LocalBackendError(
        code: .statementFailed,
        message: "\(folder)/\(name) has the same version (\(version(of: name))) as \(other): rename one of them.")
    }
    return names
  }

  /// `20261130_todos.sql` is version `20261130`, as the Supabase command line counts.
  private static func version(of name: String) -> String {
    String(name.dropLast(4).split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)[0])
  }

  /// A seed's name as the Supabase command line notes it: its last two parts, whoever calls it from where.
  private static func seedKey(_ path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  private static func literal(_ text: String) -> String { "'" + text.escaping(["'"], with: "'") + "'" }

  // The tables that the Supabase command line makes.
  private static let tables = """
    SELECT pg_advisory_xact_lock(\(lock));
    CREATE SCHEMA IF NOT EXISTS supabase_migrations;
    CREATE TABLE IF NOT EXISTS supabase_migrations.schema_migrations
      (version text PRIMARY KEY, statements text[], name text);
    CREATE TABLE IF NOT EXISTS supabase_migrations.seed_files (path text PRIMARY KEY, hash text NOT NULL)
    """
}

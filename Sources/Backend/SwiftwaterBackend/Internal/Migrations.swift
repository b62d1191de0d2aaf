internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// Applies a folder's SQL files in the order of their names, each once and as a whole, and then a seed, once.
///
/// Several backends may do so on one database at the same time: whoever comes second finds it done.
struct Migrations {
  private let configuration: LocalBackend.Configuration
  private let pool: PostgresPool

  /// Applies what the configuration names.
  ///
  /// - Parameter isReset: whether everything that was in the database before has just been dropped.
  static func apply(
    _ configuration: LocalBackend.Configuration, to pool: PostgresPool, isReset: Bool = false
  ) async throws {
    let names = try configuration.migrations.map(Self.names) ?? []
    guard !names.isEmpty || configuration.seed != nil else { return }
    try await pool.executeScript(tables)
    let migrations = Migrations(configuration: configuration, pool: pool)
    // All files are read before the first is run.
    var steps = try await migrations.steps(names)
    if let seed = configuration.seed, let step = try await migrations.step(seed: seed) { steps.append(step) }
    for (index, step) in steps.enumerated() {
      configuration.onProgress?(.init(file: step.file.path, index: index + 1, count: steps.count))
      do {
        try await migrations.run(step)
      } catch let error as LocalBackendError {
        throw error.adding(state: state(isReset: isReset, isFirst: index == 0))
      }
    }
    if !steps.isEmpty { try await pool.executeScript(announcement) }
  }

  /// Fails where not even the files of an empty database can be run as they are.
  static func check(_ configuration: LocalBackend.Configuration) throws(LocalBackendError) {
    if let folder = configuration.migrations {
      for name in try names(in: folder) { _ = try SQLFile("\(folder)/\(name)") }
    }
    if let seed = configuration.seed { _ = try SQLFile(seed) }
  }

  /// PostgREST's way to say that tables have changed.
  static let announcement = "NOTIFY pgrst, 'reload schema'"

  /// Where a file that failed has left the database.
  private static func state(isReset: Bool, isFirst: Bool) -> String {
    let before = isFirst ? "" : ", those before it are"
    return
      "\(isReset ? "the database is new; " : "")nothing of this file is applied\(before); the next start tries it again"
  }

  /// A file that is run once, and what notes that.
  private struct Step {
    var file: SQLFile
    /// A condition under which it has been run, and a statement that makes the condition true.
    var isNoted: String
    var note: String
  }

  private static let isDone = "SW001"
  private static let lock = "hashtext('swiftwater migrations')"

  private func run(_ step: Step) async throws {
    // The lock ends with the transaction: who waited for it sees what the other has noted.
    let first = """
      DO $swiftwater$ BEGIN PERFORM pg_advisory_xact_lock(\(Self.lock)); \
      IF \(step.isNoted) THEN RAISE EXCEPTION USING ERRCODE = '\(Self.isDone)'; END IF; END $swiftwater$
      """
    do {
      try await step.file.run(after: first, before: step.note, on: pool)
    } catch let error as PostgresError where error.sqlState == Self.isDone {
      // Another backend was faster.
    }
  }

  /// The migrations that are to be applied. Those that have changed since they were are told.
  private func steps(_ names: [String]) async throws -> [Step] {
    guard let folder = configuration.migrations else { return [] }
    let result = try await pool.query(
      "SELECT version, array_to_string(statements, ';') FROM supabase_migrations.schema_migrations")
    var applied: [String: String?] = [:]
    for row in 0..<result.rowCount {
      if let version = result.string(row: row, column: 0) {
        applied.updateValue(result.string(row: row, column: 1), forKey: version)
      }
    }
    var steps: [Step] = []
    for name in names {
      let path = "\(folder)/\(name)"
      let version = Self.version(of: name)
      guard let noted = applied[version] else {
        steps.append(Self.step(try SQLFile(path), version, title: Self.title(of: name)))
        continue
      }
      if let noted, let text = try? SQLFile.text(of: path), Self.essence(text) != Self.essence(noted) {
        configuration.onChangedFile?(path)
      }
    }
    return steps
  }

  private static func step(_ file: SQLFile, _ version: String, title: String) -> Step {
    let pieces = SQLScript(file.text).pieces.map(disguised).joined(separator: ", ")
    return Step(
      file: file,
      isNoted: "EXISTS (SELECT FROM supabase_migrations.schema_migrations WHERE version = \(literal(version)))",
      note: """
        INSERT INTO supabase_migrations.schema_migrations (version, name, statements)
        VALUES (\(literal(version)), \(literal(title)), ARRAY[\(pieces)]::text[])
        """)
  }

  /// The seed, if it is to be run. That it has changed since it was is told.
  private func step(seed path: String) async throws -> Step? {
    let key = Self.seedKey(path)
    let result = try await pool.query("SELECT hash FROM supabase_migrations.seed_files WHERE path = \(key)")
    if result.rowCount > 0 {
      // An empty one says nothing.
      if let noted = result.string(row: 0, column: 0), !noted.isEmpty, let text = try? SQLFile.text(of: path),
        try await hash(text) != noted
      {
        configuration.onChangedFile?(path)
      }
      return nil
    }
    let file = try SQLFile(path)
    return Step(
      file: file,
      isNoted: "EXISTS (SELECT FROM supabase_migrations.seed_files WHERE path = \(Self.literal(key)))",
      note: """
        INSERT INTO supabase_migrations.seed_files (path, hash)
        VALUES (\(Self.literal(key)), \(Self.literal(try await hash(file.text))))
        """)
  }

  /// SHA-256 in hexadecimal digits, as the Supabase command line notes it of a seed.
  private func hash(_ text: String) async throws -> String {
    let result = try await pool.query("SELECT encode(sha256(\(Array(text.utf8))), 'hex')")
    return result.string(row: 0, column: 0) ?? ""
  }

  /// What is the same of a file and of its statements, however they were taken apart and put together.
  private static func essence(_ sql: String) -> [Substring] {
    sql.split(separator: ";").map { $0.trimming(while: \.isWhitespace) }.filter { !$0.isEmpty }
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

  /// … and its name is `todos`.
  private static func title(of name: String) -> String {
    name.dropLast(4).split(separator: "_", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
  }

  /// A seed's name as the Supabase command line notes it: its last two parts, whoever calls it from where.
  private static func seedKey(_ path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  /// A literal in which PostgreSQL does not find the body of a function again: of one that stands twice in a text it cannot
  /// say where a fault in it is.
  private static func disguised(_ text: String) -> String {
    var literal = "E'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": literal += #"\\"#
      case "'": literal += #"\x27"#
      case "$": literal += #"\x24"#
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "'"
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

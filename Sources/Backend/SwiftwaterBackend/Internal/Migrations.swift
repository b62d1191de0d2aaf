internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// Applies a folder's SQL files in the order of their names, each once and as a whole.
enum Migrations {
  static func apply(from folder: String, to pool: PostgresPool) async throws {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
        // Hidden files are those that editors leave behind.
        .filter { $0.hasSuffix(".sql") && !$0.hasPrefix(".") }.sorted()
    } catch {
      throw LocalBackendError(
        code: .inputMissing, message: "The migrations folder \(folder) cannot be read.", underlyingError: error)
    }
    guard !names.isEmpty else { return }
    // Two files of one version need not be neighbours: `10.sql` comes between `1.sql` and `1_a.sql`.
    var namesByVersion: [String: String] = [:]
    for name in names {
      guard let other = namesByVersion.updateValue(name, forKey: version(of: name)) else { continue }
      throw LocalBackendError(
        code: .statementFailed,
        message: "\(folder)/\(name) has the same version (\(version(of: name))) as \(other): rename one of them.")
    }
    try await pool.executeScript(table)
    let result = try await pool.query("SELECT version FROM supabase_migrations.schema_migrations")
    let applied = Set((0..<result.rowCount).compactMap { result.string(row: $0, column: 0) })
    for name in names where !applied.contains(version(of: name)) {
      try await apply(name, in: folder, to: pool)
    }
  }

  private static func apply(_ name: String, in folder: String, to pool: PostgresPool) async throws {
    let path = "\(folder)/\(name)"
    guard let data = FileManager.default.contents(atPath: path), let sql = String(validating: data, as: UTF8.self)
    else {
      throw LocalBackendError(code: .inputMissing, message: "The migration \(path) cannot be read as UTF-8 text.")
    }
    do {
      // One script is one transaction, so a migration is applied and noted, or neither.
      // A byte order mark, which some editors write, is no SQL.
      try await pool.executeScript(sql.trimmingPrefix("\u{FEFF}") + "\n;\n" + note(name))
    } catch let error as PostgresError {
      let place = error.line.map { "\(path):\($0)" } ?? path
      throw LocalBackendError(
        code: .statementFailed, message: "\(place): \(error.message)", underlyingError: error)
    }
  }

  /// `20261130_todos.sql` is version `20261130`, as the Supabase command line counts.
  private static func version(of name: String) -> String {
    String(name.dropLast(4).split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)[0])
  }

  private static func note(_ name: String) -> String {
    func literal(_ text: String) -> String { "'" + text.escaping(["'"], with: "'") + "'" }
    let title = name.dropLast(4).split(separator: "_", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    return """
      INSERT INTO supabase_migrations.schema_migrations (version, name)
      VALUES (\(literal(version(of: name))), \(literal(title)))
      """
  }

  private static let table = """
    CREATE SCHEMA IF NOT EXISTS supabase_migrations;
    CREATE TABLE IF NOT EXISTS supabase_migrations.schema_migrations
      (version text PRIMARY KEY, statements text[], name text)
    """
}

internal import FoundationEssentials
internal import SwiftwaterPostgres

/// A file of SQL statements: a migration or a seed.
struct SQLFile {
  /// The path, as messages show it.
  let path: String
  let sql: String

  /// Reads the file.
  init(_ path: String) throws(LocalBackendError) {
    guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
    else {
      throw LocalBackendError(code: .inputMissing, message: "The file \(path) cannot be read as UTF-8 text.")
    }
    self.path = path
    sql = Self.withoutOddities(text)
  }

  /// The text without what is no SQL, every line where it was.
  private static func withoutOddities(_ text: String) -> String {
    // Some editors begin a file with a byte order mark.
    let sql = String(text.trimmingPrefix("\u{FEFF}"))
    guard sql.contains("restrict ") else { return sql }
    // pg_dump frames its output by two commands to psql, which protect psql and nobody else.
    return sql.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("\\restrict ") || line.hasPrefix("\\unrestrict ") ? "--" + line.dropFirst(2) : line
    }.joined(separator: "\n")
  }

  /// Runs the file in one transaction, between statements of ours.
  ///
  /// - Parameter first: a single statement that is run before it.
  /// - Throws: `LocalBackendError` with the file's name and the line of the statement that failed; what `first` and
  ///   `last` throw as it is.
  func run(after first: String, before last: String, on pool: PostgresPool) async throws {
    let head = first + ";\n"
    do {
      try await pool.executeScript(head + sql + "\n;\n" + last)
    } catch let error as PostgresError where error.code == .statementFailed || error.code == .invalidStatement {
      var error = error
      if let index = error.statementIndex {
        guard index > 0 || error.position != nil else { throw error }
        error.statementIndex = index - 1
      }
      error.position = error.position.map { $0 - head.unicodeScalars.count }
      throw located(error)
    }
  }

  private func located(_ error: PostgresError) -> LocalBackendError {
    let script = SQLScript(sql)
    var message = error.message
    var place = error.position.map { $0 - 1 }
    if place == nil, let index = error.statementIndex, script.statements.indices.contains(index) {
      place = script.statements[index].start
    }
    // PostgreSQL stumbles over the rows behind it, if it gets that far.
    if let copy = script.statements.last, copy.copiesFromInput,
      error.code == .invalidStatement || (place ?? 0) >= copy.start
    {
      place = copy.start
      message = "COPY FROM STDIN works in psql only: write INSERT statements (pg_dump --inserts does)"
    }
    guard let place, place <= sql.unicodeScalars.count else { return failure("\(path): \(message)", [], error) }
    let line = script.line(at: place)
    return failure("\(path):\(line.number): \(message)", Self.excerpt(line.text, line.column), error)
  }

  /// A line, or what a terminal has room for of a long one, and a caret below the column; none below a line's first word.
  private static func excerpt(_ line: String, _ column: Int) -> [String] {
    let room = 100
    let scalars = line.unicodeScalars
    let start = scalars.count > room ? max(0, column - room / 2) : 0
    var shown = String(Substring(scalars.dropFirst(start).prefix(room)))
    let indent = scalars.dropFirst(start).prefix(column - start)
    // Tabs stay tabs, so that the caret stands below its word.
    var pointer = indent.map { $0 == "\t" ? "\t" : " " }.joined() + "^"
    if start > 0 { (shown, pointer) = ("…" + shown, " " + pointer) }
    if scalars.count > start + room { shown += "…" }
    let isFirstWord = scalars.prefix(column).allSatisfy(\.properties.isWhitespace)
    return isFirstWord ? ["  " + shown] : ["  " + shown, "  " + pointer]
  }

  private func failure(_ message: String, _ notes: [String], _ error: PostgresError) -> LocalBackendError {
    var notes = notes
    for (name, text) in [("detail", error.detail), ("hint", error.hint), ("context", error.context)] {
      if let text { notes.append("  \(name): \(text.split(whereSeparator: \.isNewline).joined(separator: "; "))") }
    }
    return LocalBackendError(
      code: .statementFailed, message: message, explanation: notes.isEmpty ? nil : notes.joined(separator: "\n"),
      underlyingError: error)
  }
}

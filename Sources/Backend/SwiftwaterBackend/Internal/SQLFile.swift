internal import FoundationEssentials
internal import SwiftwaterPostgres

/// A file of SQL statements that is run as one transaction: a migration or a seed.
struct SQLFile {
  /// The path, as messages show it.
  let path: String
  /// What stands in the file.
  let text: String
  /// What PostgreSQL is given of it: every word is where it is in the file.
  let sql: String

  /// Reads the file.
  ///
  /// - Throws: `LocalBackendError`, also when there is in it what is no SQL, or what would end the transaction midway.
  init(_ path: String) throws(LocalBackendError) {
    self.path = path
    text = try Self.text(of: path)
    let sql = Self.withoutOddities(text)
    let script = SQLScript(sql)
    try Self.check(script, path)
    self.sql = Self.withoutFrame(sql, script)
  }

  /// What stands in a file.
  static func text(of path: String) throws(LocalBackendError) -> String {
    guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
    else {
      throw LocalBackendError(code: .inputMissing, message: "The file \(path) cannot be read as UTF-8 text.")
    }
    // Some editors begin a file with a byte order mark.
    return String(text.trimmingPrefix("\u{FEFF}"))
  }

  /// The text without what is no SQL, every line where it was.
  static func withoutOddities(_ sql: String) -> String {
    // A byte is found at once, a word in a long seed is not.
    guard sql.utf8.contains(UInt8(ascii: "\\")), sql.contains("restrict ") else { return sql }
    // pg_dump frames its output by two commands to psql, which protect psql and nobody else.
    return sql.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("\\restrict ") || line.hasPrefix("\\unrestrict ") ? "--" + line.dropFirst(2) : line
    }.joined(separator: "\n")
  }

  /// Many projects put `BEGIN` and `COMMIT` around a file. The transaction has them already, so blanks take their places.
  private static func withoutFrame(_ sql: String, _ script: SQLScript) -> String {
    guard let first = script.statements.first, let last = script.statements.last, first.kind == .begin,
      last.kind == .commit
    else { return sql }
    var scalars = Array(sql.unicodeScalars)
    for statement in [first, last] {
      for place in statement.start..<statement.end where scalars[place] != "\n" { scalars[place] = " " }
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  private static func check(_ script: SQLScript, _ path: String) throws(LocalBackendError) {
    let statements = script.statements
    let isFramed = statements.first?.kind == .begin && statements.last?.kind == .commit
    for (index, statement) in statements.enumerated() {
      let message: String
      switch statement.kind {
      case .ordinary, .copyFromInput: continue
      case .begin, .commit:
        if isFramed, index == 0 || index == statements.count - 1 { continue }
        fallthrough
      case .transactionControl:
        message = """
          each file is one transaction, which this would break up: take it out \
          (BEGIN may be the very first statement, with COMMIT as the very last)
          """
      case .psqlCommand:
        message = "psql's commands (\(script.text(of: statement))) do not work here: take it out"
      }
      let line = script.line(at: statement.start)
      throw LocalBackendError(
        code: .statementFailed, message: "\(path):\(line.number): \(message)",
        explanation: excerpt(line.text, line.column).joined(separator: "\n"))
    }
  }

  /// Runs the file in one transaction, between statements of ours.
  ///
  /// - Parameter first: a single statement that is run before it.
  /// - Throws: `LocalBackendError` with the file's name and the line of the statement that failed; what `first` and
  ///   `last` throw as it is.
  func run(after first: String, before last: String, on pool: PostgresPool) async throws {
    // A transaction that is said to be one has savepoints too.
    let head = "BEGIN;\n\(first);\n"
    let ownStatements = 2
    do {
      try await pool.executeScript("\(head)\(sql)\n;\n\(last);\nCOMMIT")
    } catch let error as PostgresError where error.code == .statementFailed || error.code == .invalidStatement {
      var error = error
      if let index = error.statementIndex {
        guard index >= ownStatements || error.position != nil else { throw error }
        error.statementIndex = index - ownStatements
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
    if let statement = script.statements.last(where: { $0.start <= place ?? 0 }),
      let advice = Self.advice(for: error, script.text(of: statement))
    {
      message += "; " + advice
    }
    // PostgreSQL stumbles over the rows behind it, if it gets that far.
    if let copy = script.statements.last, copy.kind == .copyFromInput,
      error.code == .invalidStatement || (place ?? 0) >= copy.start
    {
      place = copy.start
      message = "COPY FROM STDIN works in psql only: write INSERT statements (pg_dump --inserts does)"
    }
    guard let place, place <= sql.unicodeScalars.count else { return failure("\(path): \(message)", [], error) }
    let line = script.line(at: place)
    return failure("\(path):\(line.number): \(message)", Self.excerpt(line.text, line.column), error)
  }

  /// What to do about a statement that PostgreSQL runs in no transaction (active_sql_transaction).
  private static func advice(for error: PostgresError, _ statement: String) -> String? {
    guard error.sqlState == "25001" else { return nil }
    return statement.lowercased().contains("concurrently")
      ? "each file is one transaction: leave CONCURRENTLY out, nobody else uses the tables meanwhile"
      : "each file is one transaction: run this by `swiftwater db psql`"
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

internal import CPostgres

extension PostgresError {
  /// Reads the error of a failed result.
  ///
  /// - Parameter sql: the text that `position` refers to.
  init(result: OpaquePointer, sql: String?) {
    func field(_ code: Character) -> String? {
      guard let ascii = code.asciiValue, let text = PQresultErrorField(result, Int32(ascii)) else { return nil }
      return String(cString: text)
    }
    let sqlState = field("C")
    self.init(
      Self.meansLostConnection(sqlState) ? .connectionFailed : .statementFailed,
      field("M") ?? Self.trimmed(PQresultErrorMessage(result)))
    self.sqlState = sqlState
    severity = field("V") ?? field("S")
    detail = field("D")
    hint = field("H")
    position = field("P").flatMap { Int($0) }
    context = field("W")
    schemaName = field("s")
    tableName = field("t")
    columnName = field("c")
    constraintName = field("n")
    if let position, let sql { line = Self.line(of: position, in: sql) }
  }

  /// Describes a connection that broke or was never made. libpq's words name the host and the user, no password.
  init(_ code: Code, connection: OpaquePointer) {
    self.init(code, Self.trimmed(PQerrorMessage(connection)))
  }

  /// The connection broke before the result came.
  static let connectionLost = PostgresError(
    .connectionFailed, "the connection to PostgreSQL broke; the batch may have been committed or not")

  /// Connection exceptions and the server's shutdown messages, which PostgreSQL files under other classes.
  private static func meansLostConnection(_ sqlState: String?) -> Bool {
    guard let sqlState else { return true }
    return sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05"].contains(sqlState)
  }

  private static func line(of position: Int, in sql: String) -> Int {
    // PostgreSQL counts code points, Swift's characters would make one of "\r\n".
    1 + sql.unicodeScalars.prefix(max(0, position - 1)).count { $0 == "\n" }
  }

  private static func trimmed(_ text: UnsafeMutablePointer<CChar>?) -> String {
    guard let text else { return "PostgreSQL gave no reason" }
    let words = String(cString: text).split(whereSeparator: \.isNewline)
    return words.isEmpty ? "PostgreSQL gave no reason" : words.joined(separator: " ")
  }
}

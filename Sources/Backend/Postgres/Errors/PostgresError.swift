/// What went wrong with a PostgreSQL server or one of its statements.
///
/// Decide by `code`, and for `.statementFailed` by `sqlState`. What we write never contains a connection string, a
/// parameter or a password; PostgreSQL's own words, in `message`, `detail` and `context`, quote values (`invalid input
/// syntax for type integer: "x"`), so log `code` and `sqlState` where strangers read.
public struct PostgresError: Error, Sendable, Hashable {
  /// The kind of failure.
  public var code: Code
  /// What happened and what to do about it, in words; PostgreSQL's own where it said something.
  public var message: String
  /// PostgreSQL's five-character code (manual, appendix A), where the server reported the error.
  public var sqlState: String?
  /// `ERROR`, `FATAL` or `PANIC`, not localized.
  public var severity: String?
  /// PostgreSQL's secondary message.
  public var detail: String?
  /// PostgreSQL's suggestion.
  public var hint: String?
  /// Where in the statement's text the error is: characters, from 1.
  public var position: Int?
  /// The line of `position`, from 1.
  public var line: Int?
  /// The call stack of functions and triggers, innermost first.
  public var context: String?
  /// The schema of the object that the error is about.
  public var schemaName: String?
  /// The table that the error is about.
  public var tableName: String?
  /// The column that the error is about.
  public var columnName: String?
  /// The constraint that was violated.
  public var constraintName: String?
  /// Which statement of the batch or script failed, from 0; `nil` where the commit itself failed or none is to blame.
  public var statementIndex: Int?

  /// An error that no server reported.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension PostgresError: CustomStringConvertible {
  /// The message with the SQLSTATE and the line: "relation "t" does not exist (42P01, line 3)".
  public var description: String {
    let facts = [sqlState, line.map { "line \($0)" }].compactMap { $0 }
    return facts.isEmpty ? message : "\(message) (\(facts.joined(separator: ", ")))"
  }
}

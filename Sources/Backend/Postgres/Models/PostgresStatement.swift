/// One SQL statement with the values of its parameters.
///
/// A string literal is a statement without parameters; an interpolated value becomes a parameter, never SQL text:
///
///     let statement: PostgresStatement = "select name from people where id = \(7)"
///     // statement.sql == "select name from people where id = $1"
///
/// Give it session-wide effects (`SET`, `LISTEN`, `PREPARE`, temporary tables, session advisory locks) and the next
/// caller on the same connection inherits them: use `set_config(…, true)` and transaction-scoped locks.
public struct PostgresStatement: Sendable, Hashable {
  /// The SQL text with `$1`, `$2`, … for the parameters; exactly one statement.
  public var sql: String
  /// The values of `$1`, `$2`, … in this order; at most 65,535.
  public var parameters: [PostgresParameter]
  /// Whether each connection prepares the text once and reuses the plan. Turn it off for text that hardly repeats.
  public var isPrepared: Bool
  /// Whether the columns come in PostgreSQL's binary form: of `bytea` the bytes, of `text` the same as otherwise.
  package var wantsBinary = false

  /// Pairs a text with the values of its parameters.
  public init(_ sql: String, _ parameters: [PostgresParameter] = [], isPrepared: Bool = true) {
    self.sql = sql
    self.parameters = parameters
    self.isPrepared = isPrepared
  }

  /// What makes the statement impossible to send, or `nil`.
  var fault: String? {
    // libpq takes C strings: a zero byte would cut the text short without a word.
    if sql.containsZeroByte { return "a statement's text must not contain a zero byte" }
    if parameters.count > 65_535 { return "a statement takes at most 65,535 parameters; pass an array instead" }
    for case .text(let text) in parameters where text.containsZeroByte {
      return "PostgreSQL text cannot hold a zero byte; bind the value as binary to a bytea"
    }
    return nil
  }
}

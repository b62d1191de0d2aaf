/// Something that a function can leave on its connection beyond the transaction, where the next caller would find it.
///
/// Only a database whose functions mention such a thing pays for clearing it away. Settings in general need none of this:
/// every transaction begins with resetting them.
enum Leftover: String, CaseIterable, Sendable, Decodable {
  /// Session locks, which outlive even a failed transaction.
  case locks
  /// Cursors `WITH HOLD`.
  case cursors
  /// Settings that count before a transaction can reset them: `default_transaction_read_only` and its like.
  case settings
  case channels
  /// Temporary tables, whose names come before all others.
  case tables

  /// Clears it away, in this order: a held cursor may read a temporary table.
  var cleanup: String {
    switch self {
    case .locks: "SELECT pg_advisory_unlock_all()"
    case .cursors: "CLOSE ALL"
    case .settings: "RESET ALL"
    case .channels: "UNLISTEN *"
    case .tables: "DISCARD TEMP"
    }
  }

  /// A pattern for the text of functions that may leave it, as PostgreSQL writes regular expressions.
  private var pattern: String {
    switch self {
    case .locks: #"\mpg_(try_)?advisory_lock(_shared)?\M"#
    case .cursors: #"\mwith\s+hold\M"#
    // By name, for all transactions to come, or under a name that only the call tells.
    case .settings: #"\mdefault_transaction_|\msession\s+characteristics\M|\mset_config\s*\(\s*[^'\s]"#
    case .channels: #"\mlisten\M"#
    case .tables: #"\m(temp|temporary)\M"#
    }
  }

  /// Kind and pattern as a row of `VALUES`.
  var sqlValues: String { "('\(rawValue)', '\(pattern.replacing("'", with: "''"))')" }
}

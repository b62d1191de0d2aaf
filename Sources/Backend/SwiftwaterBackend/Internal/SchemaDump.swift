/// What pg_dump prints of schemas, made a migration that people read.
package enum SchemaDump {
  /// The statements alone: without pg_dump's comments, settings that change nothing, and the event triggers that the
  /// backend makes by itself, which pg_dump cannot leave out.
  package static func tidied(_ dump: String) -> String {
    let script = SQLScript(SQLFile.withoutOddities(dump))
    let statements = script.statements.map(script.text).filter { statement in
      !ownTriggers.contains { statement.hasPrefix($0) }
    }
    // A setting that the dump changes somewhere has to be changed back.
    let changed = Set(statements.filter { !idleSettings.contains($0) }.compactMap(setting))
    return statements.filter { statement in
      guard let name = setting(statement) else { return true }
      return changed.contains(name)
    }.map { "\($0);\n" }.joined(separator: "\n")
  }

  private static let ownTriggers = ["pgrst_ddl_watch", "pgrst_drop_watch"].map { "CREATE EVENT TRIGGER \($0) " }

  /// What holds already where a migration is run, or makes no difference there.
  private static let idleSettings: Set = [
    "SET statement_timeout = 0", "SET lock_timeout = 0", "SET idle_in_transaction_session_timeout = 0",
    "SET transaction_timeout = 0", "SET client_encoding = 'UTF8'", "SET standard_conforming_strings = on",
    "SET xmloption = content", "SET client_min_messages = warning", "SET row_security = off",
    "SET default_tablespace = ''", "SET default_table_access_method = heap",
  ]

  /// The name of the setting that a statement sets.
  private static func setting(_ statement: String) -> Substring? {
    guard statement.hasPrefix("SET ") else { return nil }
    return statement.dropFirst(4).prefix { $0 != " " }
  }
}

internal import SwiftwaterPostgres
internal import SwiftwaterStreams

/// What is known of the database's tables. Each is looked up when it is first used and again when it seems to lack
/// something, so a table made a moment ago is found without a restart.
final class RelationCache: Sendable {
  private struct Key: Hashable {
    var schema: ExactText
    var name: ExactText
  }

  private let pool: PostgresPool
  private let relations = LockIsolated<[Key: Relation]>([:])

  init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The relation of that name.
  ///
  /// - Parameter isRefreshed: look it up again although it is known.
  func relation(schema: String, name: String, isRefreshed: Bool = false) async throws -> Relation {
    let key = Key(schema: ExactText(schema), name: ExactText(name))
    if !isRefreshed, let known = relations.withLock({ $0[key] }) { return known }
    // PostgreSQL would cut the name and find another, and comparing it with all others would take long.
    guard name.utf8.count <= Self.maximumNameBytes else {
      throw RESTError.unknownRelation(schema: schema, name: name, suggestion: nil)
    }
    let result = try await pool.query(PostgresStatement(Self.lookUp, [.text(schema), .text(name)]))
    guard result.rowCount > 0 else {
      relations.withLock { $0[key] = nil }
      throw RESTError.unknownRelation(schema: schema, name: name, suggestion: try await closestName(to: key))
    }
    let columns = (0..<result.rowCount).compactMap { row in
      result.string(row: row, column: 0).map { name in
        Relation.Column(
          name: name, type: result.string(row: row, column: 1) ?? "text",
          isPrimaryKey: result.string(row: row, column: 2) == "t")
      }
    }
    let relation = Relation(
      schema: schema, name: name, columns: columns, signature: result.string(row: 0, column: 3) ?? "")
    relations.withLock { $0[key] = relation }
    return relation
  }

  /// Whether an error may come from what was known of a relation and has changed: a table or column that is new or gone,
  /// a type that another has replaced.
  static func mayBeStale(_ error: any Error) -> Bool {
    switch error {
    case let error as RESTError: error.code == "PGRST204"
    case let error as PostgresError: staleStates.contains { (error.sqlState ?? "").hasPrefix($0) }
    default: false
    }
  }

  // 22: a value that does not fit the type that a column once had, and a failed check.
  private static let staleStates: Set<String> = ["42P01", "42703", "42704", "42804", "42846", "22"]

  /// A statement that fails unless the relation is still what it was when it was looked up.
  ///
  /// A statement that was made or prepared for other types need not fail by itself: it rounds a number or cuts a
  /// timestamp to the day. Run this behind it: by then the transaction's lock keeps the relation as it is.
  static func check(of relation: Relation) -> PostgresStatement {
    let name = "\(SQLBuilder.quoted(relation.schema)).\(SQLBuilder.quoted(relation.name))"
    return PostgresStatement(check, [.text(name), .text(relation.signature)])
  }

  private func closestName(to key: Key) async throws -> String? {
    let result = try await pool.query(PostgresStatement(Self.names, [.text(key.schema.text)]))
    let names = (0..<result.rowCount).compactMap { result.string(row: $0, column: 0) }
    return names.map { ($0, $0.editDistance(to: key.name.text)) }
      .filter { $0.1 <= max(1, key.name.text.count / 3) }
      .min { $0.1 < $1.1 }?.0
  }

  /// What PostgreSQL keeps of a name (`NAMEDATALEN - 1`).
  private static let maximumNameBytes = 63

  private static let lookUp = """
    SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnum = ANY(i.indkey), \(signature)
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
    ORDER BY a.attnum
    """

  /// Of the relation `c`: which one it is, and its columns' names and types.
  private static let signature = """
    c.oid || ' ' || (SELECT coalesce(bit_xor(hash_record_extended((s.attname, s.atttypid, s.atttypmod), 0)), 0)
    FROM pg_catalog.pg_attribute s WHERE s.attrelid = c.oid AND s.attnum > 0 AND NOT s.attisdropped)
    """

  private static let check = """
    SELECT 1 / count(*) FROM (SELECT to_regclass($1)::oid AS oid) c WHERE \(signature) = $2
    """

  private static let names = """
    SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
    """
}

extension String {
  /// How many insertions, removals and replacements lead from one text to the other (Levenshtein).
  func editDistance(to other: String) -> Int {
    let target = Array(other.unicodeScalars)
    var distances = Array(0...target.count)
    for (row, scalar) in unicodeScalars.enumerated() {
      var diagonal = distances[0]
      distances[0] = row + 1
      for (column, candidate) in target.enumerated() {
        let replacement = diagonal + (scalar == candidate ? 0 : 1)
        diagonal = distances[column + 1]
        distances[column + 1] = Swift.min(replacement, distances[column] + 1, diagonal + 1)
      }
    }
    return distances[target.count]
  }
}

internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterPostgres
internal import SwiftwaterStreams

/// Runs statements of the service and reads what they return.
struct AuthDatabase: Sendable {
  let pool: PostgresPool
  /// The connections for what hashes passwords, so that it leaves the others free.
  private let passwordPool: PostgresPool
  private let cryptoSchema = LockIsolated<String?>(nil)

  init(pool: PostgresPool, passwordPool: PostgresPool) { (self.pool, self.passwordPool) = (pool, passwordPool) }

  /// Runs statements as one transaction. The last one's row is the answer; nil where there is none.
  @discardableResult
  func row(_ statements: SQLFragment...) async throws -> Row? { try await row(statements) }

  /// Runs statements as one transaction. The last one's row is the answer; nil where there is none.
  @discardableResult
  func row(_ statements: [SQLFragment]) async throws -> Row? {
    Row(try await execute(statements).last)
  }

  /// Runs a change of a session and reads what has become of it, as one transaction. Changes of one session wait for each
  /// other, and each sees what the last has left.
  ///
  /// - Returns: as `SessionStatements.byID(_:)`; nil where the change has returned no row, having found nothing to change.
  func session(_ id: String, after change: SQLFragment) async throws -> Row? {
    let results = try await execute([SessionStatements.lock(id), change, SessionStatements.byID(id)])
    return results[1].rowCount == 0 ? nil : Row(results.last)
  }

  /// Two transactions that wait for each other are told apart by PostgreSQL, which undoes one; that one tries again.
  private func execute(_ statements: [SQLFragment]) async throws -> [PostgresResult] {
    let pool = statements.contains(where: \.hashes) ? passwordPool : pool
    let statements = statements.map(\.statement)
    for _ in 0..<3 {
      do {
        return try await pool.execute(statements)
      } catch let error as PostgresError where error.sqlState == "40P01" {
        continue
      }
    }
    return try await pool.execute(statements)
  }

  /// Runs one statement and returns its rows.
  func rows(_ statement: SQLFragment) async throws -> [Row] {
    let result = try await pool.query(statement.statement)
    return (0..<result.rowCount).map { Row(result: result, index: $0) }
  }

  /// A row of texts and JSON.
  struct Row {
    fileprivate let result: PostgresResult
    fileprivate let index: Int

    fileprivate init(result: PostgresResult, index: Int) { (self.result, self.index) = (result, index) }

    /// The first row; nil where there is none.
    fileprivate init?(_ result: PostgresResult?) {
      guard let result, result.rowCount > 0 else { return nil }
      self.init(result: result, index: 0)
    }

    func text(_ column: Int) -> String? { result.string(row: index, column: column) }

    /// - Throws: an `AuthError` when the column holds something else.
    func decode<Value: Decodable>(_ column: Int, as type: Value.Type = Value.self) throws(AuthError) -> Value {
      guard let text = text(column) else { throw .unexpected("The database's answer lacks a value") }
      do {
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
      } catch {
        throw .unexpected("The database's answer cannot be read")
      }
    }
  }

  /// The schema of pgcrypto, quoted: a function of it is called by its whole name, whatever the search path is.
  func crypto() async throws -> String {
    if let known = cryptoSchema.value { return known }
    let row = try await row(
      """
      SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE e.extname = 'pgcrypto'
      """
    )
    guard let schema = row?.text(0) else {
      throw AuthError.unexpected("The database lacks the extension pgcrypto, which passwords need.")
    }
    cryptoSchema.withLock { $0 = schema }
    return schema
  }
}

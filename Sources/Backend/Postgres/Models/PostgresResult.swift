internal import CPostgres

/// The rows that one statement returned, all of them in memory and in PostgreSQL's text form.
///
/// Rows and columns count from 0. Asking for a row or column that does not exist gives `nil`, like a `NULL`.
///
/// - Threading: immutable; any number of threads may read at once.
public final class PostgresResult: Sendable {
  // unsafe: libpq never changes a finished result, and only deinit frees it.
  private nonisolated(unsafe) let pointer: OpaquePointer

  /// The number of rows.
  public let rowCount: Int
  /// The number of columns.
  public let columnCount: Int

  /// Takes over a finished result.
  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    rowCount = Int(PQntuples(pointer))
    columnCount = Int(PQnfields(pointer))
  }

  deinit {
    PQclear(pointer)
  }

  /// The columns' names in order; names may repeat.
  public var columnNames: [String] {
    (0..<columnCount).map { PQfname(pointer, Int32($0)).map { String(cString: $0) } ?? "" }
  }

  /// What PostgreSQL says it did: `SELECT 1`, `INSERT 0 5`, `CREATE TABLE`.
  public var commandTag: String {
    String(cString: PQcmdStatus(pointer))
  }

  /// How many rows the statement inserted, updated, deleted, merged or returned; 0 for other statements.
  public var affectedRowCount: Int {
    Int(String(cString: PQcmdTuples(pointer))) ?? 0
  }

  /// Whether the value is `NULL`.
  public func isNull(row: Int, column: Int) -> Bool {
    !contains(row, column) || PQgetisnull(pointer, Int32(row), Int32(column)) == 1
  }

  /// The value as text, or `nil` for `NULL`.
  public func string(row: Int, column: Int) -> String? {
    withBytes(row: row, column: column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls `body` with the value's bytes, without a copy; `nil` for `NULL`. The bytes are gone when `body` returns.
  public func withBytes<Value, Failure: Error>(
    row: Int, column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    guard !isNull(row: row, column: column), let bytes = PQgetvalue(pointer, Int32(row), Int32(column)) else {
      return nil
    }
    let count = Int(PQgetlength(pointer, Int32(row), Int32(column)))
    return try withExtendedLifetime(self) { () throws(Failure) in
      try body(UnsafeRawBufferPointer(start: bytes, count: count))
    }
  }

  private func contains(_ row: Int, _ column: Int) -> Bool {
    row >= 0 && row < rowCount && column >= 0 && column < columnCount
  }
}

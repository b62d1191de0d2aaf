internal import FoundationEssentials
internal import Helpers

extension PostgrestRequestBuilder where Phase == PostgrestPhase.Query {
  /// Reads rows.
  ///
  /// - Parameters:
  ///   - columns: what to return of each row, in PostgREST's syntax: `id,label:name,price::text`.
  ///   - head: fetch no rows, only the count.
  ///   - count: count all rows that match.
  public func select(_ columns: String = "*", head: Bool = false, count: CountOption? = nil) -> PostgrestFilterBuilder {
    next { request in
      request.method = head ? .head : .get
      request.set("select", to: columns.withoutUnquotedSpace)
      if let count { request.prefer("count", count.rawValue) }
    }
  }

  /// Inserts one row or, given an array, several in one statement.
  ///
  /// - Parameters:
  ///   - values: a value or an array of values whose keys are the columns. A row of an array that lacks a column which
  ///     another one has, as when an optional is nil, gets NULL there.
  ///   - returning: what comes back; nothing unless given. `select(_:)` behind it asks for the rows.
  ///   - count: count the rows.
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` when the values cannot be encoded.
  public func insert(
    _ values: some Encodable, returning: PostgrestReturningOptions? = nil, count: CountOption? = nil
  ) throws(PostgrestError) -> PostgrestFilterBuilder {
    let insertion = try write(.post, values, returning: returning, count: count)
    guard let columns = BulkColumns.union(of: insertion.request.body ?? []) else { return insertion }
    // Without them the server takes the first row's columns for those of all rows.
    return insertion.next { $0.set("columns", to: columns.map(\.quotedName).joined(separator: ",")) }
  }

  /// Changes the rows that the filters let through; without a filter all of them.
  ///
  /// - Parameters:
  ///   - values: a value whose keys are the columns to set. An optional that is nil is left out by Swift's encoder.
  ///   - returning: what comes back, the changed rows unless given.
  ///   - count: count the rows.
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` when the values cannot be encoded.
  public func update(
    _ values: some Encodable, returning: PostgrestReturningOptions = .representation, count: CountOption? = nil
  ) throws(PostgrestError) -> PostgrestFilterBuilder {
    try write(.patch, values, returning: returning, count: count)
  }

  /// Removes the rows that the filters let through; without a filter all of them.
  ///
  /// - Parameters:
  ///   - returning: what comes back, the removed rows unless given.
  ///   - count: count the rows.
  public func delete(
    returning: PostgrestReturningOptions = .representation, count: CountOption? = nil
  ) -> PostgrestFilterBuilder {
    next { request in
      request.method = .delete
      request.prefer("return", returning.rawValue)
      if let count { request.prefer("count", count.rawValue) }
    }
  }

  private func write(
    _ method: HTTPRequest.Method, _ values: some Encodable, returning: PostgrestReturningOptions?, count: CountOption?
  ) throws(PostgrestError) -> PostgrestFilterBuilder {
    let body: Data
    do {
      body = try client.configuration.encoder.encode(values)
    } catch {
      throw PostgrestError(
        kind: .invalidRequest, message: "The values cannot be encoded as JSON: \(error)", underlyingError: error)
    }
    return next { request in
      request.method = method
      request.body = Array(body)
      if let returning { request.prefer("return", returning.rawValue) }
      if let count { request.prefer("count", count.rawValue) }
    }
  }
}

extension String {
  /// The name in double quotes, so that no character of it means anything.
  fileprivate var quotedName: String { "\"" + escaping(["\\", "\""], with: "\\") + "\"" }

  /// The text without the white space that people put between columns; quoted names keep theirs.
  var withoutUnquotedSpace: String {
    var isQuoted = false
    return String(
      filter { character in
        if character == "\"" { isQuoted.toggle() }
        return isQuoted || !character.isWhitespace
      })
  }
}

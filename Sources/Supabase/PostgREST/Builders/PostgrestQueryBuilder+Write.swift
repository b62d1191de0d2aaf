public import FoundationEssentials
internal import Helpers

extension PostgrestRequestBuilder where Phase == PostgrestPhase.Query {
  /// Inserts one row or, given an array, several in one statement.
  ///
  /// - Parameters:
  ///   - values: a value or an array of values whose keys are the columns.
  ///   - returning: what comes back; nothing unless given. `select(_:)` behind it asks for the rows.
  ///   - count: count the rows.
  ///   - defaultToNull: what a row of an array gets in a column that it lacks and another one has, as when an optional is
  ///     nil: NULL, or with `false` the column's default.
  ///   - encoder: writes the values, in place of the configuration's.
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` when the values cannot be encoded.
  public func insert(
    _ values: some Encodable, returning: PostgrestReturningOptions? = nil, count: CountOption? = nil,
    defaultToNull: Bool = true, encoder: JSONEncoder? = nil
  ) throws(PostgrestError) -> PostgrestTransformBuilder {
    let body = try encode(values, encoder)
    return next { $0.post(body, returning: returning, count: count, defaultToNull: defaultToNull) }
  }

  /// Inserts rows, and changes those that exist already.
  ///
  /// - Parameters:
  ///   - values: as for `insert`.
  ///   - onConflict: the columns, separated by commas and covered by a unique index, that tell whether a row exists; the
  ///     primary key unless given.
  ///   - returning: what comes back, the rows unless given.
  ///   - count: count the rows.
  ///   - ignoreDuplicates: leave rows that exist as they are. They are not in the answer.
  ///   - defaultToNull: as for `insert`.
  ///   - encoder: writes the values, in place of the configuration's.
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` when the values cannot be encoded.
  public func upsert(
    _ values: some Encodable, onConflict: String? = nil, returning: PostgrestReturningOptions = .representation,
    count: CountOption? = nil, ignoreDuplicates: Bool = false, defaultToNull: Bool = true, encoder: JSONEncoder? = nil
  ) throws(PostgrestError) -> PostgrestTransformBuilder {
    let body = try encode(values, encoder)
    return next { request in
      if let onConflict { request.set("on_conflict", to: onConflict.withoutUnquotedSpace) }
      request.prefer("resolution", ignoreDuplicates ? "ignore-duplicates" : "merge-duplicates")
      request.post(body, returning: returning, count: count, defaultToNull: defaultToNull)
    }
  }

  /// Changes the rows that the filters let through; without a filter all of them.
  ///
  /// - Parameters:
  ///   - values: a value whose keys are the columns to set. An optional that is nil is left out by Swift's encoder; write
  ///     `["due": JSONValue.null]` to set NULL.
  ///   - returning: what comes back, the changed rows unless given.
  ///   - count: count the rows.
  ///   - encoder: writes the values, in place of the configuration's.
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` when the values cannot be encoded.
  public func update(
    _ values: some Encodable, returning: PostgrestReturningOptions = .representation, count: CountOption? = nil,
    encoder: JSONEncoder? = nil
  ) throws(PostgrestError) -> PostgrestFilterBuilder {
    let body = try encode(values, encoder)
    return next { request in
      request.method = .patch
      request.body = body
      request.prefer("return", returning.rawValue)
      if let count { request.prefer("count", count.rawValue) }
    }
  }

  private func encode(_ values: some Encodable, _ encoder: JSONEncoder?) throws(PostgrestError) -> [UInt8] {
    try PostgrestError.encode(values, with: encoder ?? client.configuration.encoder, what: "values")
  }
}

extension PostgrestRequest {
  /// Makes the request one that adds rows.
  fileprivate mutating func post(
    _ body: [UInt8], returning: PostgrestReturningOptions?, count: CountOption?, defaultToNull: Bool
  ) {
    method = .post
    self.body = body
    if let returning { prefer("return", returning.rawValue) }
    if let count { prefer("count", count.rawValue) }
    if !defaultToNull { prefer("missing", "default") }
    // Without them the server takes the first row's columns for those of all rows.
    if let columns = BulkColumns.union(of: body) {
      set("columns", to: columns.map(\.quotedAlways).joined(separator: ","))
    }
  }
}

extension PostgrestRequestBuilder where Phase == PostgrestPhase.Query {
  /// Reads rows.
  ///
  /// - Parameters:
  ///   - columns: what to return of each row, in PostgREST's syntax: `id,label:name,price::text,author(name)`.
  ///   - head: fetch no rows, only the count.
  ///   - count: count all rows that match.
  public func select(_ columns: String = "*", head: Bool = false, count: CountOption? = nil) -> PostgrestFilterBuilder {
    next { request in
      request.method = head ? .head : .get
      request.set("select", to: columns.withoutUnquotedSpace)
      if let count { request.prefer("count", count.rawValue) }
    }
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
}

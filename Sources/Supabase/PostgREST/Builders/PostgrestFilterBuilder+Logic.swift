extension PostgrestRequestBuilder where Phase == PostgrestPhase.Filter {
  /// Rows for which one of the conditions holds at least. An empty list fails when the request runs.
  ///
  /// - Parameter referencedTable: the embedded table whose rows are meant; nil for the request's own.
  public func or(_ conditions: [PostgrestCondition], referencedTable: String? = nil) -> Self {
    filter(.or(conditions), referencedTable: referencedTable)
  }

  /// Rows for which one of the conditions holds at least, in PostgREST's own syntax: `age.lt.18,age.gt.65`.
  ///
  /// The text goes out as it is. Values that come from elsewhere belong into `or(_:)` with a list of conditions, which
  /// quotes them.
  public func or(_ filters: String, referencedTable: String? = nil) -> Self {
    join(filters, with: "or", referencedTable)
  }

  /// Rows for which all of the conditions hold. An empty list fails when the request runs.
  ///
  /// - Parameter referencedTable: the embedded table whose rows are meant; nil for the request's own.
  public func and(_ conditions: [PostgrestCondition], referencedTable: String? = nil) -> Self {
    filter(.and(conditions), referencedTable: referencedTable)
  }

  /// Rows for which all of the conditions hold, in PostgREST's own syntax, which goes out as it is.
  public func and(_ filters: String, referencedTable: String? = nil) -> Self {
    join(filters, with: "and", referencedTable)
  }

  /// Rows for which the condition is false. As in SQL, one that NULL leaves undecided is not.
  public func not(_ condition: PostgrestCondition, referencedTable: String? = nil) -> Self {
    filter(.not(condition), referencedTable: referencedTable)
  }

  /// Rows for which the comparison is false.
  ///
  /// - Parameters:
  ///   - operation: any operator.
  ///   - value: the value; for `in` an array, or PostgREST's own syntax as text: `(1,2)`.
  public func not(
    _ column: String, operator operation: PostgrestOperator, value: some PostgrestFilterValue
  ) -> Self {
    not(.filter(column, operator: operation, value: value))
  }

  /// What PostgREST's own syntax says: `filter("id", operator: "eq(any)", value: "{1,2}")`. Both go out as they are.
  public func filter(_ column: String, operator operation: String, value: String) -> Self {
    filter(.filter(column, operator: PostgrestOperator(rawValue: operation), value: value))
  }

  private func join(_ filters: String, with conjunction: String, _ table: String?) -> Self {
    next { $0.query.append((table.map { "\($0).\(conjunction)" } ?? conjunction, "(\(filters))")) }
  }
}

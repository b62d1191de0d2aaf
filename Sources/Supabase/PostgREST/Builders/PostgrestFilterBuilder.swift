extension PostgrestRequestBuilder where Phase == PostgrestPhase.Filter {
  /// Rows that meet the condition; several filters all hold.
  ///
  /// - Parameter referencedTable: the embedded table, by its name or alias in `select`, whose rows are meant; nil for the
  ///   request's own. Rows of the request's table stay even if none of those is left, unless the table is embedded with
  ///   `!inner`.
  public func filter(_ condition: PostgrestCondition, referencedTable: String? = nil) -> Self {
    next { request in
      if condition.isEmpty { request.fault = "\"or\" and \"and\" need at least one condition." }
      request.query.append(condition.parameter(in: referencedTable))
    }
  }

  /// Rows in which the column equals the value.
  public func eq(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.eq(column, value: value))
  }

  /// Rows in which the column differs from the value.
  public func neq(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.neq(column, value: value))
  }

  /// Rows in which the column is greater than the value.
  public func gt(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.gt(column, value: value))
  }

  /// Rows in which the column is greater than the value or equals it.
  public func gte(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.gte(column, value: value))
  }

  /// Rows in which the column is less than the value.
  public func lt(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.lt(column, value: value))
  }

  /// Rows in which the column is less than the value or equals it.
  public func lte(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.lte(column, value: value))
  }

  /// Rows in which the column is NULL (`nil`), true or false.
  public func `is`(_ column: String, value: Bool?) -> Self {
    filter(.is(column, value: value))
  }

  /// Rows in which the column differs from the value; unlike with `neq`, NULL differs from every value.
  public func isDistinct(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.isDistinct(column, value: value))
  }

  /// Rows in which the column equals one of the values; none when there are no values.
  public func `in`(_ column: String, values: [any PostgrestFilterValue]) -> Self {
    filter(.in(column, values: values))
  }

  /// Rows in which the column equals none of the values. A NULL is not in the answer, unless there are no values.
  public func notIn(_ column: String, values: [any PostgrestFilterValue]) -> Self {
    filter(.notIn(column, values: values))
  }

  /// Rows in which each of the columns equals its value.
  public func match(_ query: [String: any PostgrestFilterValue]) -> Self {
    query.sorted { $0.key < $1.key }.reduce(self) { builder, item in builder.eq(item.key, value: item.value) }
  }
}

internal import Helpers

extension PostgrestRequestBuilder where Phase == PostgrestPhase.Filter {
  /// Rows in which the column equals the value.
  public func eq(_ column: String, value: some PostgrestFilterValue) -> PostgrestFilterBuilder {
    filter(column, "eq", value)
  }

  /// Rows in which the column differs from the value.
  public func neq(_ column: String, value: some PostgrestFilterValue) -> PostgrestFilterBuilder {
    filter(column, "neq", value)
  }

  /// Rows in which the column is greater than the value.
  public func gt(_ column: String, value: some PostgrestFilterValue) -> PostgrestFilterBuilder {
    filter(column, "gt", value)
  }

  /// Rows in which the column is greater than the value or equals it.
  public func gte(_ column: String, value: some PostgrestFilterValue) -> PostgrestFilterBuilder {
    filter(column, "gte", value)
  }

  /// Rows in which the column is less than the value.
  public func lt(_ column: String, value: some PostgrestFilterValue) -> PostgrestFilterBuilder {
    filter(column, "lt", value)
  }

  /// Rows in which the column is less than the value or equals it.
  public func lte(_ column: String, value: some PostgrestFilterValue) -> PostgrestFilterBuilder {
    filter(column, "lte", value)
  }

  /// Rows in which the column is NULL (`nil`), true or false.
  public func `is`(_ column: String, value: Bool?) -> PostgrestFilterBuilder {
    filter(column, "is", value.map(\.postgrestValue) ?? "null")
  }

  /// Rows in which the column equals one of the values; none when there are no values.
  public func `in`(_ column: String, values: [some PostgrestFilterValue]) -> PostgrestFilterBuilder {
    filter(column, "in", "(\(values.map { $0.postgrestValue.quotedListElement }.joined(separator: ",")))")
  }

  /// Several filters on one column and on several ones all hold; the value of a single comparison is never quoted.
  private func filter(_ column: String, _ operation: String, _ value: some PostgrestFilterValue) -> Self {
    next { $0.query.append((column, "\(operation).\(value.postgrestValue)")) }
  }
}

extension String {
  /// The text as an element of `in.(…)`: quoted where the list's own characters occur in it.
  fileprivate var quotedListElement: String {
    let needsQuotes =
      isEmpty || unicodeScalars.contains { ",()\"\\".unicodeScalars.contains($0) || $0.properties.isWhitespace }
    return needsQuotes ? "\"" + escaping(["\\", "\""], with: "\\") + "\"" : self
  }
}

extension PostgrestRequestBuilder where Phase == PostgrestPhase.Filter {
  /// Rows whose array, range or JSON value contains all of the value.
  public func contains(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.contains(column, value: value))
  }

  /// Rows whose array, range or JSON value is all in the value.
  public func containedBy(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.containedBy(column, value: value))
  }

  /// Rows whose array or range has something in common with the value.
  public func overlaps(_ column: String, value: some PostgrestFilterValue) -> Self {
    filter(.overlaps(column, value: value))
  }

  /// Rows whose range ends before the given one begins.
  public func rangeLt(_ column: String, range: some PostgrestFilterValue) -> Self {
    filter(.rangeLt(column, range: range))
  }

  /// Rows whose range begins after the given one ends.
  public func rangeGt(_ column: String, range: some PostgrestFilterValue) -> Self {
    filter(.rangeGt(column, range: range))
  }

  /// Rows whose range begins no earlier than the given one.
  public func rangeGte(_ column: String, range: some PostgrestFilterValue) -> Self {
    filter(.rangeGte(column, range: range))
  }

  /// Rows whose range ends no later than the given one.
  public func rangeLte(_ column: String, range: some PostgrestFilterValue) -> Self {
    filter(.rangeLte(column, range: range))
  }

  /// Rows whose range touches the given one, with nothing between and nothing in common.
  public func rangeAdjacent(_ column: String, range: some PostgrestFilterValue) -> Self {
    filter(.rangeAdjacent(column, range: range))
  }
}

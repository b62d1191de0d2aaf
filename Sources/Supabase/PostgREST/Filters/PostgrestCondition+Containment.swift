extension PostgrestCondition {
  /// An array, range or JSON value contains all of the value.
  public static func contains(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .cs, value)
  }

  /// All of an array, range or JSON value is in the value.
  public static func containedBy(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .cd, value)
  }

  /// An array or range has something in common with the value.
  public static func overlaps(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .ov, value)
  }

  /// A range ends before the given one begins.
  public static func rangeLt(_ column: String, range: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .sl, range)
  }

  /// A range begins after the given one ends.
  public static func rangeGt(_ column: String, range: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .sr, range)
  }

  /// A range begins no earlier than the given one.
  public static func rangeGte(_ column: String, range: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .nxl, range)
  }

  /// A range ends no later than the given one.
  public static func rangeLte(_ column: String, range: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .nxr, range)
  }

  /// A range touches the given one, with nothing between and nothing in common.
  public static func rangeAdjacent(_ column: String, range: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .adj, range)
  }
}

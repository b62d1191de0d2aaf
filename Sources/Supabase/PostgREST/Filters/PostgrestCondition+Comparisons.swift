extension PostgrestCondition {
  /// The column equals the value.
  public static func eq(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .eq, value)
  }

  /// The column differs from the value.
  public static func neq(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .neq, value)
  }

  /// The column is greater than the value.
  public static func gt(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .gt, value)
  }

  /// The column is greater than the value or equals it.
  public static func gte(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .gte, value)
  }

  /// The column is less than the value.
  public static func lt(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .lt, value)
  }

  /// The column is less than the value or equals it.
  public static func lte(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .lte, value)
  }

  /// The column is NULL (`nil`), true or false.
  public static func `is`(_ column: String, value: Bool?) -> PostgrestCondition {
    Self(column, PostgrestOperator.is.rawValue, .word(value?.rawValue ?? "null"))
  }

  /// The column differs from the value; unlike with `neq`, NULL differs from every value.
  public static func isDistinct(_ column: String, value: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .isdistinct, value)
  }

  /// The column equals one of the values; no row does when there are none.
  public static func `in`(_ column: String, values: [any PostgrestFilterValue]) -> PostgrestCondition {
    Self(column, PostgrestOperator.in.rawValue, .list(values.map(\.rawValue)))
  }

  /// The column equals none of the values. A NULL is not in the answer, unless there are no values.
  public static func notIn(_ column: String, values: [any PostgrestFilterValue]) -> PostgrestCondition {
    not(.in(column, values: values))
  }
}

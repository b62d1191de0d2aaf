extension Range: PostgrestFilterValue where Bound: PostgrestFilterValue {
  /// PostgreSQL's range literal: `[1,5)`.
  public var rawValue: String { "[\(lowerBound.rawValue.quotedInRange),\(upperBound.rawValue.quotedInRange))" }
}

extension ClosedRange: PostgrestFilterValue where Bound: PostgrestFilterValue {
  /// PostgreSQL's range literal: `[1,5]`.
  public var rawValue: String { "[\(lowerBound.rawValue.quotedInRange),\(upperBound.rawValue.quotedInRange)]" }
}

extension PartialRangeFrom: PostgrestFilterValue where Bound: PostgrestFilterValue {
  /// PostgreSQL's range literal without an end: `[1,)`.
  public var rawValue: String { "[\(lowerBound.rawValue.quotedInRange),)" }
}

extension PartialRangeUpTo: PostgrestFilterValue where Bound: PostgrestFilterValue {
  /// PostgreSQL's range literal without a beginning: `(,5)`.
  public var rawValue: String { "(,\(upperBound.rawValue.quotedInRange))" }
}

extension PartialRangeThrough: PostgrestFilterValue where Bound: PostgrestFilterValue {
  /// PostgreSQL's range literal without a beginning: `(,5]`.
  public var rawValue: String { "(,\(upperBound.rawValue.quotedInRange)]" }
}

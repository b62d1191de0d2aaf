extension PostgrestCondition {
  /// What PostgREST's operator says of the column.
  ///
  /// - Parameters:
  ///   - operation: any operator.
  ///   - value: the value, quoted where it needs it; for `in` an array, or PostgREST's own syntax as text: `(1,2)`.
  public static func filter(
    _ column: String, operator operation: PostgrestOperator, value: some PostgrestFilterValue
  ) -> PostgrestCondition {
    let operand: Operand =
      switch (operation, value as? [any PostgrestFilterValue]) {
      case (.in, let elements?): .list(elements.map(\.rawValue))
      case (.in, nil), (.is, _): .word(value.rawValue)
      default: .value(value.rawValue)
      }
    return Self(column, operation.rawValue, operand)
  }
}

/// Marks what is an array literal of its own inside another one.
private protocol ArrayLiteral {}

extension Array: ArrayLiteral {}

extension Array: PostgrestFilterValue where Element: PostgrestFilterValue {
  /// PostgreSQL's array literal, its elements quoted where they need it: `{1,2}`, `{"a,b","null",""}`, `{{1,2},{3,4}}`.
  public var rawValue: String {
    let elements = map { $0 is any ArrayLiteral ? $0.rawValue : $0.rawValue.quotedInArray }
    return "{" + elements.joined(separator: ",") + "}"
  }
}

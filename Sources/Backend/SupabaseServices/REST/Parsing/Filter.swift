/// One condition on a field: `age=not.gte.18`.
struct Filter: Equatable, Sendable {
  enum Comparison: String, Sendable {
    case equal = "eq"
    case greaterOrEqual = "gte"
    case greater = "gt"
    case lessOrEqual = "lte"
    case less = "lt"
    case like, ilike, match, imatch

    var sql: String {
      switch self {
      case .equal: "="
      case .greaterOrEqual: ">="
      case .greater: ">"
      case .lessOrEqual: "<="
      case .less: "<"
      case .like: "like"
      case .ilike: "ilike"
      case .match: "~"
      case .imatch: "~*"
      }
    }
  }

  /// Operators that compare with one value as a whole.
  enum SetComparison: String, Sendable {
    case notEqual = "neq"
    case contains = "cs"
    case isContained = "cd"
    case overlaps = "ov"
    case isStrictlyLeft = "sl"
    case isStrictlyRight = "sr"
    case doesNotExtendRight = "nxr"
    case doesNotExtendLeft = "nxl"
    case isAdjacent = "adj"

    var sql: String {
      switch self {
      case .notEqual: "<>"
      case .contains: "@>"
      case .isContained: "<@"
      case .overlaps: "&&"
      case .isStrictlyLeft: "<<"
      case .isStrictlyRight: ">>"
      case .doesNotExtendRight: "&<"
      case .doesNotExtendLeft: "&>"
      case .isAdjacent: "-|-"
      }
    }
  }

  enum Quantifier: String, Sendable { case any, all }

  enum Constant: String, CaseIterable, Sendable {
    case null
    case notNull = "not_null"
    case `true`, `false`, unknown

    var sql: String { self == .notNull ? "NOT NULL" : rawValue.uppercased() }
  }

  enum TextSearch: String, Sendable {
    case words = "fts"
    case plain = "plfts"
    case phrase = "phfts"
    case websearch = "wfts"

    var function: String {
      switch self {
      case .words: "to_tsquery"
      case .plain: "plainto_tsquery"
      case .phrase: "phraseto_tsquery"
      case .websearch: "websearch_to_tsquery"
      }
    }
  }

  enum Condition: Equatable, Sendable {
    case comparison(Comparison, Quantifier?, String)
    case setComparison(SetComparison, String)
    case inList([String])
    case `is`(Constant)
    case isDistinctFrom(String)
    case textSearch(TextSearch, language: String?, String)
  }

  var path: FieldPath
  var isNegated: Bool
  var condition: Condition

  /// Whether the value of a parameter of a function call is meant as a filter of its rows.
  static func isFilter(_ value: String) -> Bool {
    // By scalars, as the grammar goes: an accent that a value begins with must not hide the full stop.
    let scalars = value.unicodeScalars
    let word = scalars.prefix { $0 != "." && $0 != "(" }
    let next = scalars[word.endIndex...].first
    let name = String(word)
    if TextSearch(rawValue: name) != nil { return next != nil }
    if next == "(" { return Comparison(rawValue: name) != nil }
    guard next == "." else { return false }
    return ["not", "is", "in", "isdistinct"].contains(name) || Comparison(rawValue: name) != nil
      || SetComparison(rawValue: name) != nil
  }
}

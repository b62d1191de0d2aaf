/// An operator of PostgREST, for `not(_:operator:value:)`; open to ones that are not listed here, such as `eq(any)`.
public struct PostgrestOperator: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The operator as it stands in a request.
  public let rawValue: String

  /// Takes any operator.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any operator.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Equals.
  public static let eq: PostgrestOperator = "eq"
  /// Differs.
  public static let neq: PostgrestOperator = "neq"
  /// Greater.
  public static let gt: PostgrestOperator = "gt"
  /// Greater or equal.
  public static let gte: PostgrestOperator = "gte"
  /// Less.
  public static let lt: PostgrestOperator = "lt"
  /// Less or equal.
  public static let lte: PostgrestOperator = "lte"
  /// SQL's LIKE.
  public static let like: PostgrestOperator = "like"
  /// LIKE without regard to case.
  public static let ilike: PostgrestOperator = "ilike"
  /// A regular expression.
  public static let match: PostgrestOperator = "match"
  /// A regular expression without regard to case.
  public static let imatch: PostgrestOperator = "imatch"
  /// Is NULL, true, false or unknown.
  public static let `is`: PostgrestOperator = "is"
  /// Differs, and NULL is a value like any other.
  public static let isdistinct: PostgrestOperator = "isdistinct"
  /// Is one of a list.
  public static let `in`: PostgrestOperator = "in"
  /// Contains.
  public static let cs: PostgrestOperator = "cs"
  /// Is contained by.
  public static let cd: PostgrestOperator = "cd"
  /// Has elements in common.
  public static let ov: PostgrestOperator = "ov"
  /// Ends before a range begins.
  public static let sl: PostgrestOperator = "sl"
  /// Begins after a range ends.
  public static let sr: PostgrestOperator = "sr"
  /// Begins no earlier than a range does.
  public static let nxl: PostgrestOperator = "nxl"
  /// Ends no later than a range does.
  public static let nxr: PostgrestOperator = "nxr"
  /// Touches a range.
  public static let adj: PostgrestOperator = "adj"
  /// Full-text search in PostgreSQL's query syntax.
  public static let fts: PostgrestOperator = "fts"
  /// Full-text search for all words.
  public static let plfts: PostgrestOperator = "plfts"
  /// Full-text search for a phrase.
  public static let phfts: PostgrestOperator = "phfts"
  /// Full-text search as on the web.
  public static let wfts: PostgrestOperator = "wfts"
}

extension PostgrestRequestBuilder {
  /// The operators of filters.
  public typealias Operator = PostgrestOperator
}

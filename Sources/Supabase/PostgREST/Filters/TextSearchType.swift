/// How PostgreSQL reads the words of a full-text search; open to ways that are not listed here.
public struct TextSearchType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// What stands before `fts` in a request.
  public let rawValue: String

  /// Takes any prefix.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any prefix.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// All words, in any order (`plainto_tsquery`).
  public static let plain: TextSearchType = "pl"
  /// All words, in this order (`phraseto_tsquery`).
  public static let phrase: TextSearchType = "ph"
  /// As web searches are written: `"a phrase"`, `or`, `-without` (`websearch_to_tsquery`). Fit for what people type.
  public static let websearch: TextSearchType = "w"
}

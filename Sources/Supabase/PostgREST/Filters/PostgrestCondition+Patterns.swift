extension PostgrestCondition {
  /// The text fits the pattern, in which `%` or `*` stands for any text and `_` for any character.
  public static func like(_ column: String, pattern: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .like, pattern)
  }

  /// `like` without regard to case.
  public static func ilike(_ column: String, pattern: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .ilike, pattern)
  }

  /// The text fits all of the patterns.
  public static func likeAllOf(_ column: String, patterns: [some PostgrestFilterValue]) -> PostgrestCondition {
    Self(column, "like(all)", patterns)
  }

  /// The text fits one of the patterns at least.
  public static func likeAnyOf(_ column: String, patterns: [some PostgrestFilterValue]) -> PostgrestCondition {
    Self(column, "like(any)", patterns)
  }

  /// `likeAllOf` without regard to case.
  public static func iLikeAllOf(_ column: String, patterns: [some PostgrestFilterValue]) -> PostgrestCondition {
    Self(column, "ilike(all)", patterns)
  }

  /// `likeAnyOf` without regard to case.
  public static func iLikeAnyOf(_ column: String, patterns: [some PostgrestFilterValue]) -> PostgrestCondition {
    Self(column, "ilike(any)", patterns)
  }

  /// The regular expression, PostgreSQL's kind, fits somewhere in the text.
  public static func match(_ column: String, pattern: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .match, pattern)
  }

  /// `match` without regard to case.
  public static func imatch(_ column: String, pattern: some PostgrestFilterValue) -> PostgrestCondition {
    Self(column, .imatch, pattern)
  }

  /// The words are found in a text or `tsvector`.
  ///
  /// - Parameters:
  ///   - query: the words; PostgreSQL's query syntax unless `type` says otherwise.
  ///   - config: the language, such as `english`; the database's own unless given.
  ///   - type: how the words are read.
  public static func textSearch(
    _ column: String, query: some PostgrestFilterValue, config: String? = nil, type: TextSearchType? = nil
  ) -> PostgrestCondition {
    let language = config.map { "(\($0))" } ?? ""
    return Self(column, "\(type?.rawValue ?? "")fts\(language)", .value(query.rawValue))
  }
}

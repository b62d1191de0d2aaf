extension PostgrestRequestBuilder where Phase == PostgrestPhase.Filter {
  /// Rows in which the text fits the pattern, in which `%` or `*` stands for any text and `_` for any character.
  public func like(_ column: String, pattern: some PostgrestFilterValue) -> Self {
    filter(.like(column, pattern: pattern))
  }

  /// `like` without regard to case.
  public func ilike(_ column: String, pattern: some PostgrestFilterValue) -> Self {
    filter(.ilike(column, pattern: pattern))
  }

  /// Rows in which the text fits all of the patterns.
  public func likeAllOf(_ column: String, patterns: [some PostgrestFilterValue]) -> Self {
    filter(.likeAllOf(column, patterns: patterns))
  }

  /// Rows in which the text fits one of the patterns at least.
  public func likeAnyOf(_ column: String, patterns: [some PostgrestFilterValue]) -> Self {
    filter(.likeAnyOf(column, patterns: patterns))
  }

  /// `likeAllOf` without regard to case.
  public func iLikeAllOf(_ column: String, patterns: [some PostgrestFilterValue]) -> Self {
    filter(.iLikeAllOf(column, patterns: patterns))
  }

  /// `likeAnyOf` without regard to case.
  public func iLikeAnyOf(_ column: String, patterns: [some PostgrestFilterValue]) -> Self {
    filter(.iLikeAnyOf(column, patterns: patterns))
  }

  /// Rows in which the regular expression, PostgreSQL's kind, fits somewhere in the text.
  public func match(_ column: String, pattern: some PostgrestFilterValue) -> Self {
    filter(.match(column, pattern: pattern))
  }

  /// `match` without regard to case.
  public func imatch(_ column: String, pattern: some PostgrestFilterValue) -> Self {
    filter(.imatch(column, pattern: pattern))
  }

  /// Rows in whose text or `tsvector` the words are found.
  ///
  /// - Parameters:
  ///   - query: the words; PostgreSQL's query syntax unless `type` says otherwise.
  ///   - config: the language, such as `english`; the database's own unless given.
  ///   - type: how the words are read; `.websearch` is fit for what people type.
  public func textSearch(
    _ column: String, query: some PostgrestFilterValue, config: String? = nil, type: TextSearchType? = nil
  ) -> Self {
    filter(.textSearch(column, query: query, config: config, type: type))
  }

  /// Rows in whose text the query, in PostgreSQL's syntax, is found.
  public func fts(_ column: String, query: some PostgrestFilterValue, config: String? = nil) -> Self {
    textSearch(column, query: query, config: config)
  }

  /// Rows in whose text all of the words are found.
  public func plfts(_ column: String, query: some PostgrestFilterValue, config: String? = nil) -> Self {
    textSearch(column, query: query, config: config, type: .plain)
  }

  /// Rows in whose text the phrase is found.
  public func phfts(_ column: String, query: some PostgrestFilterValue, config: String? = nil) -> Self {
    textSearch(column, query: query, config: config, type: .phrase)
  }

  /// Rows that a search as on the web finds.
  public func wfts(_ column: String, query: some PostgrestFilterValue, config: String? = nil) -> Self {
    textSearch(column, query: query, config: config, type: .websearch)
  }
}

// The short names are PostgREST's, the long ones supabase-swift's: each filter can be written either way.
extension PostgrestRequestBuilder where Phase == PostgrestPhase.Filter {
  /// `eq(_:value:)`
  public func equals(_ column: String, value: some PostgrestFilterValue) -> Self { eq(column, value: value) }

  /// `neq(_:value:)`
  public func notEquals(_ column: String, value: some PostgrestFilterValue) -> Self { neq(column, value: value) }

  /// `gt(_:value:)`
  public func greaterThan(_ column: String, value: some PostgrestFilterValue) -> Self { gt(column, value: value) }

  /// `gte(_:value:)`
  public func greaterThanOrEquals(_ column: String, value: some PostgrestFilterValue) -> Self {
    gte(column, value: value)
  }

  /// `lt(_:value:)`
  public func lowerThan(_ column: String, value: some PostgrestFilterValue) -> Self { lt(column, value: value) }

  /// `lte(_:value:)`
  public func lowerThanOrEquals(_ column: String, value: some PostgrestFilterValue) -> Self {
    lte(column, value: value)
  }

  /// `isDistinct(_:value:)`
  public func isdistinct(_ column: String, value: some PostgrestFilterValue) -> Self {
    isDistinct(column, value: value)
  }

  /// `contains(_:value:)`
  public func cs(_ column: String, value: some PostgrestFilterValue) -> Self { contains(column, value: value) }

  /// `containedBy(_:value:)`
  public func cd(_ column: String, value: some PostgrestFilterValue) -> Self { containedBy(column, value: value) }

  /// `overlaps(_:value:)`
  public func ov(_ column: String, value: some PostgrestFilterValue) -> Self { overlaps(column, value: value) }

  /// `rangeLt(_:range:)`
  public func sl(_ column: String, range: some PostgrestFilterValue) -> Self { rangeLt(column, range: range) }

  /// `rangeLt(_:range:)`
  public func rangeLowerThan(_ column: String, range: some PostgrestFilterValue) -> Self {
    rangeLt(column, range: range)
  }

  /// `rangeGt(_:range:)`
  public func sr(_ column: String, range: some PostgrestFilterValue) -> Self { rangeGt(column, range: range) }

  /// `rangeGt(_:range:)`
  public func rangeGreaterThan(_ column: String, value: some PostgrestFilterValue) -> Self {
    rangeGt(column, range: value)
  }

  /// `rangeGte(_:range:)`
  public func nxl(_ column: String, range: some PostgrestFilterValue) -> Self { rangeGte(column, range: range) }

  /// `rangeGte(_:range:)`
  public func rangeGreaterThanOrEquals(_ column: String, value: some PostgrestFilterValue) -> Self {
    rangeGte(column, range: value)
  }

  /// `rangeLte(_:range:)`
  public func nxr(_ column: String, range: some PostgrestFilterValue) -> Self { rangeLte(column, range: range) }

  /// `rangeLte(_:range:)`
  public func rangeLowerThanOrEquals(_ column: String, value: some PostgrestFilterValue) -> Self {
    rangeLte(column, range: value)
  }

  /// `rangeAdjacent(_:range:)`
  public func adj(_ column: String, range: some PostgrestFilterValue) -> Self { rangeAdjacent(column, range: range) }

  /// `fts(_:query:config:)`
  public func fullTextSearch(_ column: String, query: some PostgrestFilterValue, config: String? = nil) -> Self {
    fts(column, query: query, config: config)
  }

  /// `plfts(_:query:config:)`
  public func plainToFullTextSearch(
    _ column: String, query: some PostgrestFilterValue, config: String? = nil
  ) -> Self {
    plfts(column, query: query, config: config)
  }

  /// `phfts(_:query:config:)`
  public func phraseToFullTextSearch(
    _ column: String, query: some PostgrestFilterValue, config: String? = nil
  ) -> Self {
    phfts(column, query: query, config: config)
  }

  /// `wfts(_:query:config:)`
  public func webFullTextSearch(_ column: String, query: some PostgrestFilterValue, config: String? = nil) -> Self {
    wfts(column, query: query, config: config)
  }
}

/// What a request's builder may do next.
public enum PostgrestPhase {
  /// Choose between reading and writing.
  public enum Query {}
  /// Narrow the rows.
  public enum Filter: PostgrestTransformablePhase {}
  /// Order, limit and shape them.
  public enum Transform: PostgrestTransformablePhase {}
  /// Ask for one row that may be missing.
  public enum MaybeSingle: PostgrestExecutablePhase {}
}

/// A phase in which the request is complete enough to run.
public protocol PostgrestExecutablePhase {}

/// A phase in which the answer can be ordered, limited and shaped.
public protocol PostgrestTransformablePhase: PostgrestExecutablePhase {}

/// A table or view of which nothing has been asked yet.
public typealias PostgrestQueryBuilder = PostgrestRequestBuilder<PostgrestPhase.Query>
/// A request whose rows can be narrowed by filters.
public typealias PostgrestFilterBuilder = PostgrestRequestBuilder<PostgrestPhase.Filter>
/// A request whose rows can be ordered and limited.
public typealias PostgrestTransformBuilder = PostgrestRequestBuilder<PostgrestPhase.Transform>
/// A request for one row that may be missing.
public typealias PostgrestMaybeSingleBuilder = PostgrestRequestBuilder<PostgrestPhase.MaybeSingle>

/// A request on its way from table to answer. Each step returns a changed copy, so a builder can be kept and continued
/// several times. `Phase` says what may come next; use the names `PostgrestQueryBuilder`, `PostgrestFilterBuilder` and
/// `PostgrestTransformBuilder`.
public struct PostgrestRequestBuilder<Phase>: Sendable {
  let client: PostgrestClient
  let request: PostgrestRequest

  init(client: PostgrestClient, request: PostgrestRequest) {
    self.client = client
    self.request = request
  }

  /// The next step, with `change` applied.
  func next<NextPhase>(
    _ phase: NextPhase.Type = NextPhase.self, _ change: (inout PostgrestRequest) -> Void
  ) -> PostgrestRequestBuilder<NextPhase> {
    var request = request
    change(&request)
    return PostgrestRequestBuilder<NextPhase>(client: client, request: request)
  }
}

/// What a request's builder may do next.
public enum PostgrestPhase {
  /// Choose between reading and writing.
  public enum Query {}
  /// Narrow the rows.
  public enum Filter {}
  /// Order, limit and shape them.
  public enum Transform {}
}

/// A phase in which the request is complete enough to run.
public protocol PostgrestExecutablePhase {}

extension PostgrestPhase.Filter: PostgrestExecutablePhase {}
extension PostgrestPhase.Transform: PostgrestExecutablePhase {}

/// A table or view of which nothing has been asked yet.
public typealias PostgrestQueryBuilder = PostgrestRequestBuilder<PostgrestPhase.Query>
/// A request whose rows can be narrowed by filters.
public typealias PostgrestFilterBuilder = PostgrestRequestBuilder<PostgrestPhase.Filter>
/// A request whose rows can be ordered and limited.
public typealias PostgrestTransformBuilder = PostgrestRequestBuilder<PostgrestPhase.Transform>

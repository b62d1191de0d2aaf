/// A request on its way from table to answer. Each step returns a changed copy, so a builder can be kept and continued
/// several times. `Phase` says what may come next; use the names `PostgrestQueryBuilder`, `PostgrestFilterBuilder`,
/// `PostgrestTransformBuilder` and `PostgrestMaybeSingleBuilder`.
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

public import PostgREST

extension SupabaseClient {
  /// Begins a request on a table or view.
  public func from(_ table: String) -> PostgrestQueryBuilder { database.from(table) }

  /// The tables and functions of another exposed schema.
  public func schema(_ schema: String) -> PostgrestClient { database.schema(schema) }

  /// Begins a call of a function; see `PostgrestClient.rpc(_:params:head:get:count:)`.
  ///
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` when the arguments cannot be encoded, or not in an address.
  public func rpc(
    _ function: String, params: some Encodable, head: Bool = false, get: Bool = false, count: CountOption? = nil
  ) throws(PostgrestError) -> PostgrestFilterBuilder {
    try database.rpc(function, params: params, head: head, get: get, count: count)
  }

  /// Begins a call of a function without arguments.
  public func rpc(
    _ function: String, head: Bool = false, get: Bool = false, count: CountOption? = nil
  ) -> PostgrestFilterBuilder {
    database.rpc(function, head: head, get: get, count: count)
  }
}

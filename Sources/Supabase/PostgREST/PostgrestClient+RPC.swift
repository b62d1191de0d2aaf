internal import FoundationEssentials
internal import Helpers

extension PostgrestClient {
  /// Begins a call of a function.
  ///
  /// A function that returns a table can be filtered, ordered and selected from like one.
  ///
  /// - Parameters:
  ///   - function: its name.
  ///   - params: a value whose keys are the arguments' names.
  ///   - head: call it by HEAD: no answer, only the count. It must not change anything.
  ///   - get: call it by GET, so that the call may be repeated and cached. It must not change anything. Arguments stand in
  ///     the address then: each in its text form, arrays as PostgreSQL's. Numbers of more than 15 digits and NULL belong
  ///     into a call without it.
  ///   - count: count the rows that it returns.
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` when the arguments cannot be encoded, or not in an address.
  public func rpc(
    _ function: String, params: some Encodable, head: Bool = false, get: Bool = false, count: CountOption? = nil
  ) throws(PostgrestError) -> PostgrestFilterBuilder {
    let arguments = try PostgrestError.encode(params, with: configuration.encoder, what: "arguments")
    var request = PostgrestRequest(function: function)
    if head || get {
      let values: JSONValue
      do {
        values = try JSONValue(parsing: arguments)
      } catch {
        throw PostgrestError(
          kind: .invalidRequest, message: "The encoder's arguments are no JSON.", underlyingError: error)
      }
      request.query = try FunctionArguments.parameters(of: values)
      request.method = head ? .head : .get
    } else {
      request.body = arguments
    }
    if let count { request.prefer("count", count.rawValue) }
    return PostgrestFilterBuilder(client: self, request: request)
  }

  /// Begins a call of a function without arguments.
  ///
  /// - Parameters:
  ///   - function: its name.
  ///   - head: call it by HEAD: no answer, only the count. It must not change anything.
  ///   - get: call it by GET, so that the call may be repeated and cached. It must not change anything.
  ///   - count: count the rows that it returns.
  public func rpc(
    _ function: String, head: Bool = false, get: Bool = false, count: CountOption? = nil
  ) -> PostgrestFilterBuilder {
    var request = PostgrestRequest(function: function)
    if head { request.method = .head } else if get { request.method = .get } else { request.body = Array("{}".utf8) }
    if let count { request.prefer("count", count.rawValue) }
    return PostgrestFilterBuilder(client: self, request: request)
  }
}

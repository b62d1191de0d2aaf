// The codes and words are PostgREST's: https://docs.postgrest.org/en/stable/references/errors.html
extension RESTError {
  static func malformedEncoding(_ text: Substring) -> RESTError {
    RESTError(
      status: 400, code: "PGRST100", message: "\"failed to parse query parameter (\(text))\" (line 1, column 1)",
      details: "unexpected percent-encoding expecting two hexadecimal digits of UTF-8 text after each \"%\"")
  }

  static func invalidRPCMethod(_ method: String) -> RESTError {
    RESTError(status: 405, code: "PGRST101", message: "Cannot use the \(method) method on RPC")
  }

  static func invalidBody(_ message: String) -> RESTError {
    RESTError(status: 400, code: "PGRST102", message: message)
  }

  static func rangeNotSatisfiable(_ details: String) -> RESTError {
    RESTError(status: 416, code: "PGRST103", message: "Requested range not satisfiable", details: details)
  }

  static let invalidPutFilters = RESTError(
    status: 405, code: "PGRST105",
    message: "Filters must include all and only primary key columns with 'eq' operators")

  static func unknownSchema(_ schema: String, offered: [String]) -> RESTError {
    RESTError(
      status: 406, code: "PGRST106", message: "Invalid schema: \(schema)",
      hint: "Only the following schemas are exposed: \(offered.joined(separator: ", "))")
  }

  static func notAcceptable(_ mediaTypes: [MediaType]) -> RESTError {
    RESTError(
      status: 406, code: "PGRST107",
      message: "None of these media types are available: \(mediaTypes.map(\.name).joined(separator: ", "))")
  }

  /// - Parameter alias: what the request calls the relation of that name.
  static func notEmbedded(_ name: String, alias: String? = nil) -> RESTError {
    RESTError(
      status: 400, code: "PGRST108", message: "'\(name)' is not an embedded resource in this request",
      details: alias.map { _ in "Target names are not allowed in filters if they have an alias" },
      hint: alias.map { "Change '\(name)' to '\($0)' in filters, orders or limits." }
        ?? "Verify that '\(name)' is included in the 'select' query parameter.")
  }

  static let invalidHeaderSetting = RESTError(
    status: 500, code: "PGRST111",
    message: "response.headers guc must be a JSON array composed of objects with a single key and a string value")

  static let invalidStatusSetting = RESTError(
    status: 500, code: "PGRST112", message: "response.status guc must be a valid status code")

  static let limitedPut = RESTError(
    status: 400, code: "PGRST114", message: "limit/offset querystring parameters are not allowed for PUT")

  static let mismatchedPut = RESTError(
    status: 400, code: "PGRST115", message: "Payload values do not match URL in primary key column(s)")

  static func notSingular(rows: String) -> RESTError {
    RESTError(
      status: 406, code: "PGRST116", message: "Cannot coerce the result to a single JSON object",
      details: "The result contains \(rows) rows")
  }

  static func unsupportedMethod(_ method: String) -> RESTError {
    RESTError(status: 405, code: "PGRST117", message: "Unsupported HTTP method: \(method)")
  }

  static func unrelatedOrder(origin: String, target: String) -> RESTError {
    RESTError(
      status: 400, code: "PGRST118", message: "A related order on '\(target)' is not possible",
      details: "'\(origin)' and '\(target)' do not form a many-to-one or one-to-one relationship")
  }

  static func invalidRaise(details: String, hint: String) -> RESTError {
    RESTError(
      status: 500, code: "PGRST121", message: "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error",
      details: details, hint: hint)
  }

  static func invalidPreferences(_ preferences: [String]) -> RESTError {
    RESTError(
      status: 400, code: "PGRST122", message: "Invalid preferences given with handling=strict",
      details: "Invalid preferences: \(preferences.joined(separator: ", "))")
  }

  static let noAggregates = RESTError(
    status: 400, code: "PGRST123", message: "Use of aggregate functions is not allowed")

  static func tooManyAffected(rows: String) -> RESTError {
    RESTError(
      status: 400, code: "PGRST124", message: "Query result exceeds max-affected preference constraint",
      details: "The query affects \(rows) rows")
  }

  static let invalidPath = RESTError(
    status: 404, code: "PGRST125", message: "Invalid path specified in request URL")

  static let noDescription = RESTError(status: 404, code: "PGRST126", message: "Root endpoint metadata is disabled")

  static func notImplemented(_ details: String) -> RESTError {
    RESTError(status: 400, code: "PGRST127", message: "Feature not implemented", details: details)
  }

  static let maximumAffectedOfSingle = RESTError(
    status: 400, code: "PGRST128",
    message: "Function must return SETOF or TABLE when max-affected preference is used with handling=strict")

  static func unknownColumn(_ column: String, of relation: String) -> RESTError {
    RESTError(
      status: 400, code: "PGRST204",
      message: "Could not find the '\(column)' column of '\(relation)' in the schema cache")
  }

  static func unknownRelation(schema: String, name: String, suggestion: String?) -> RESTError {
    RESTError(
      status: 404, code: "PGRST205",
      message: "Could not find the table '\(schema).\(name)' in the schema cache",
      hint: suggestion.map { "Perhaps you meant the table '\(schema).\($0)'" })
  }

  static func invalidToken(code: String = "PGRST301", _ message: String) -> RESTError {
    RESTError(
      status: 401, code: code, message: message,
      challenge: "Bearer error=\"invalid_token\", error_description=\"\(message)\"")
  }

  static let databaseUnavailable = RESTError(
    status: 503, code: "PGRST000", message: "Database connection error. Retrying the connection.")

  /// PostgREST says 504; clients try again after 503 as often as that is safe.
  static let poolExhausted = RESTError(
    status: 503, code: "PGRST003", message: "Timed out acquiring connection from connection pool.")
}

/// An answer that says what went wrong, in PostgREST's shape: `{"code", "details", "hint", "message"}`.
struct RESTError: Error, Equatable {
  var status: Int
  var code: String
  var message: String
  var details: String?
  var hint: String?
  /// What a 401 says about the credentials it wants (RFC 6750 §3).
  var challenge: String?

  /// The body of the answer.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object([("code", code), ("details", details), ("hint", hint), ("message", message)])
    return writer.bytes
  }
}

// The codes are PostgREST's: https://docs.postgrest.org/en/stable/references/errors.html
extension RESTError {
  static func parse(_ what: String, _ input: String, at offset: Int, unexpected: String, expecting: String) -> RESTError
  {
    RESTError(
      status: 400, code: "PGRST100",
      message: "\"failed to parse \(what) (\(input))\" (line 1, column \(offset + 1))",
      details: "unexpected \(unexpected) expecting \(expecting)")
  }

  static func invalidBody(_ message: String) -> RESTError {
    RESTError(status: 400, code: "PGRST102", message: message)
  }

  static func rangeNotSatisfiable(_ details: String) -> RESTError {
    RESTError(status: 416, code: "PGRST103", message: "Requested range not satisfiable", details: details)
  }

  static func unknownSchema(_ schema: String, offered: [String]) -> RESTError {
    RESTError(
      status: 406, code: "PGRST106", message: "Invalid schema: \(schema)",
      hint: "Only the following schemas are exposed: \(offered.joined(separator: ", "))")
  }

  static func notAcceptable(_ mediaTypes: String) -> RESTError {
    RESTError(status: 406, code: "PGRST107", message: "None of these media types are available: \(mediaTypes)")
  }

  static func unsupportedMethod(_ method: String) -> RESTError {
    RESTError(status: 405, code: "PGRST117", message: "Unsupported HTTP method: \(method)")
  }

  /// What PostgREST would do and this service does not do yet: said, never ignored.
  static func notYet(_ what: String) -> RESTError {
    RESTError(status: 501, code: "501", message: "\(what) is not supported by the local backend yet.")
  }

  static func invalidPath() -> RESTError {
    RESTError(status: 404, code: "PGRST125", message: "Invalid path specified in request URL")
  }

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
}

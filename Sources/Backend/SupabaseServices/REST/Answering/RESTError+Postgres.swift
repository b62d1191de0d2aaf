internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

extension RESTError {
  /// PostgreSQL's own words under the status that PostgREST gives its SQLSTATE.
  ///
  /// - Parameter isAnonymous: whether a missing privilege can be mended by signing in (401) or not (403).
  init(_ error: PostgresError, isAnonymous: Bool) {
    guard let code = error.sqlState else {
      // Nothing from the server itself: it is not there, or the statement could not be sent.
      self =
        switch error.code {
        case .invalidStatement: .invalidBody(error.message)
        case .exhausted: .poolExhausted
        default: .databaseUnavailable
        }
      return
    }
    if code == "PGRST" {
      self = Self.raised(error)
      return
    }
    if code == "22P02", let refusal = Self.refusal(error.message) {
      self = refusal
      return
    }
    self.init(
      status: Self.status(sqlState: code, message: error.message, isAnonymous: isAnonymous), code: code,
      message: error.message, details: error.detail, hint: error.hint)
    if status == 401 { challenge = "Bearer" }
    // Where no function or trigger was at work, the request itself is too deep or too wide for PostgreSQL.
    if code.hasPrefix("54"), error.context?.contains("function") != true { status = 413 }
  }

  /// https://docs.postgrest.org/en/stable/references/errors.html#http-status-codes
  static func status(sqlState: String, message: String = "", isAnonymous: Bool) -> Int {
    switch sqlState {
    case "23503", "23505": return 409
    case "25006": return 405
    case "42501": return isAnonymous ? 401 : 403
    case "42883": return message.hasPrefix("function xmlagg(") ? 406 : 404
    case "42P01": return 404
    case "42P17", "53400": return 500
    case "57P01": return 503
    case "P0001": return 400
    // A client may not do without a condition; otherwise a view or function is at fault.
    case "21000": return message.hasSuffix("requires a WHERE clause") ? 400 : 500
    case "22023": return message.hasPrefix("role") && message.hasSuffix("does not exist") ? 401 : 400
    default: break
    }
    if sqlState.hasPrefix("PT") {
      return Int(sqlState.dropFirst(2)).flatMap { (200...999).contains($0) ? $0 : nil } ?? 500
    }
    switch sqlState.prefix(2) {
    case "08", "53": return 503
    case "0L", "0P", "28": return 403
    case "09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX": return 500
    default: return 400
    }
  }

  /// The refusal that a statement ended itself with: `… "swiftwater.refused PGRST116 5"`.
  private static func refusal(_ message: String) -> RESTError? {
    let words = message.split(separator: "\"").dropFirst().first?.split(separator: " ") ?? []
    guard words.count == 3, words[0] == SQLBuilder.refusal else { return nil }
    switch words[1] {
    case "PGRST115": return .mismatchedPut
    case "PGRST116": return .notSingular(rows: String(words[2]))
    case "PGRST124": return .tooManyAffected(rows: String(words[2]))
    default: return nil
    }
  }

  /// The whole answer as a function raises it by `RAISE sqlstate 'PGRST'`.
  private static func raised(_ error: PostgresError) -> RESTError {
    struct Message: Decodable {
      var code: String
      var message: String
      var details: String?
      var hint: String?
    }
    struct Detail: Decodable {
      var status: Int
      var headers: [String: String]
    }
    guard let message = try? JSONDecoder().decode(Message.self, from: Data(error.message.utf8)) else {
      return .invalidRaise(
        details: "Invalid JSON value for MESSAGE: '\(error.message)'",
        hint:
          "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
      )
    }
    let hint =
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
    guard let text = error.detail else {
      return .invalidRaise(details: "DETAIL is missing in the RAISE statement", hint: hint)
    }
    guard let detail = try? JSONDecoder().decode(Detail.self, from: Data(text.utf8)),
      (200...999).contains(detail.status)
    else { return .invalidRaise(details: "Invalid JSON value for DETAIL: '\(text)'", hint: hint) }
    var raised = RESTError(
      status: detail.status, code: message.code, message: message.message, details: message.details,
      hint: message.hint)
    guard detail.headers.allSatisfy({ HTTPField.Name($0.key) != nil && HTTPField.isValidValue($0.value) }) else {
      return .invalidRaise(details: "Invalid names or values of headers in DETAIL", hint: hint)
    }
    raised.fields = detail.headers.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    return raised
  }
}

internal import SwiftwaterPostgres

extension RESTError {
  /// PostgreSQL's own words under the status that PostgREST gives its SQLSTATE.
  ///
  /// - Parameter isAnonymous: whether a missing privilege can be mended by signing in (401) or not (403).
  init(_ error: PostgresError, isAnonymous: Bool) {
    guard let code = error.sqlState else {
      // Nothing from the server itself: it is not there, or the statement could not be sent.
      self = error.code == .invalidStatement ? .invalidBody(error.message) : .databaseUnavailable
      return
    }
    self.init(
      status: Self.status(sqlState: code, isAnonymous: isAnonymous), code: code, message: error.message,
      details: error.detail, hint: error.hint)
    if status == 401 { challenge = "Bearer" }
  }

  /// https://docs.postgrest.org/en/stable/references/errors.html#http-status-codes
  static func status(sqlState: String, isAnonymous: Bool) -> Int {
    switch sqlState {
    case "23503", "23505": return 409
    case "25006": return 405
    case "42501": return isAnonymous ? 401 : 403
    case "42883", "42P01": return 404
    case "42P17", "53400": return 500
    case "57P01": return 503
    case "P0001", "21000": return 400
    default: break
    }
    if sqlState.hasPrefix("PT"), let status = Int(sqlState.dropFirst(2)), (100...999).contains(status) { return status }
    switch sqlState.prefix(2) {
    case "08", "53": return 503
    case "0L", "0P", "28": return 403
    case "09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX": return 500
    default: return 400
    }
  }
}

internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres

/// Turns results and errors into HTTP responses.
enum RESTResponse {
  static func failure(_ error: RESTError) -> ServerResponse {
    var fields: HTTPFields = [.contentType: "application/json; charset=utf-8"]
    if let challenge = error.challenge { fields[.wwwAuthenticate] = challenge }
    if error.status == 503 { fields[.retryAfter] = "1" }
    return ServerResponse(status: .init(code: error.status), headerFields: fields, body: HTTPBody(error.json))
  }

  /// The response to a plan's single row.
  static func success(
    _ request: RESTRequest, _ result: PostgresResult
  ) throws(RESTError) -> ServerResponse {
    let page = result.string(row: 0, column: 1).flatMap { Int($0) } ?? 0
    let total = result.string(row: 0, column: 2).flatMap { Int($0) }
    var fields = HTTPFields()
    if let applied = request.preferences.applied(isMutation: request.action != .read) {
      fields[.preferenceApplied] = applied
    }
    let status: Int
    switch request.action {
    case .read:
      let (code, contentRange) = try Self.range(offset: request.range.offset, page: page, total: total)
      fields[.contentRange] = contentRange
      status = code
    case .insert:
      fields[.contentRange] = "*/" + (total.map(String.init) ?? "*")
      if let key = result.string(row: 0, column: 3) { fields[.location] = location(request.relation, key) }
      status = 201
    case .update:
      fields[.contentRange] = (page > 0 ? "0-\(page - 1)" : "*") + "/" + (total.map(String.init) ?? "*")
      status = request.preferences.returning == .representation ? 200 : 204
    case .delete:
      fields[.contentRange] = "*/" + (total.map(String.init) ?? "*")
      status = request.preferences.returning == .representation ? 200 : 204
    }
    guard let body = result.withBytes(row: 0, column: 0, { Array($0) }) else {
      return ServerResponse(status: .init(code: status), headerFields: fields)
    }
    fields[.contentType] = "application/json; charset=utf-8"
    return ServerResponse(status: .init(code: status), headerFields: fields, body: HTTPBody(body))
  }

  /// Where a row is found: `/todos?id=eq.1`.
  ///
  /// - Parameter key: names and values of its key, alternately, as a JSON array.
  private static func location(_ relation: String, _ key: String) -> String? {
    guard let parts = try? JSONDecoder().decode([String].self, from: Data(key.utf8)) else { return nil }
    let conditions = stride(from: 0, to: parts.count - 1, by: 2).map { index in
      parts[index].percentEncodedForQuery + "=eq." + parts[index + 1].percentEncodedForQuery
    }
    return "/\(relation.percentEncodedForPath)?" + conditions.joined(separator: "&")
  }

  /// Status and `Content-Range` of a page: `0-9/*` when the total was not counted.
  static func range(offset: Int, page: Int, total: Int?) throws(RESTError) -> (status: Int, contentRange: String) {
    let rows = page > 0 ? "\(offset)-\(offset + page - 1)" : "*"
    guard let total else { return (200, rows + "/*") }
    guard offset == 0 || offset <= total else {
      throw .rangeNotSatisfiable("An offset of \(offset) was requested, but there are only \(total) rows.")
    }
    return (page < total ? 206 : 200, "\(rows)/\(total)")
  }
}

extension HTTPField.Name {
  static let wwwAuthenticate = Self(unchecked: "WWW-Authenticate")
}

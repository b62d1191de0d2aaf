internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres
internal import SwiftwaterStreams

/// Turns results and errors into HTTP responses.
enum RESTResponse {
  static func failure(_ error: RESTError, isTerse: Bool = false) -> ServerResponse {
    var fields: HTTPFields = [.contentType: MediaType.json.contentType]
    fields[.proxyStatus] = "PostgREST; error=\(error.code)"
    if let challenge = error.challenge { fields[.wwwAuthenticate] = challenge }
    if error.status == 503 { fields[.retryAfter] = "1" }
    for field in error.fields { fields[HTTPField.Name(unchecked: field.name)] = field.value }
    return ServerResponse(
      status: .init(code: error.status), headerFields: fields, body: HTTPBody(error.json(isTerse: isTerse)))
  }

  /// The response to a plan's single row.
  ///
  /// - Parameter total: how many rows there are without limit; nil when nobody asked.
  static func success(
    _ request: RESTRequest, _ plan: Plan, _ result: PostgresResult, total: Int?
  ) throws(RESTError) -> ServerResponse {
    let page = result.string(.page).flatMap { Int($0) } ?? 0
    var fields = HTTPFields()
    // Those below, and what comes later for caches and other origins.
    fields.reserveCapacity(8)
    var status: Int
    var hasBody = true
    switch request.action {
    case .read, .call:
      let (code, contentRange) = Self.range(offset: request.range.offset, page: page, total: total)
      fields.append(HTTPField(name: .contentRange, value: contentRange))
      status = code
      if code == 416 {
        var response = failure(
          .rangeNotSatisfiable(
            "An offset of \(request.range.offset) was requested, but there are only \(total ?? 0) rows."))
        response.head.headerFields[.contentRange] = contentRange
        return response
      }
      if request.action == .read {
        fields.append(HTTPField(name: .contentLocation, value: Self.location(of: request)))
      }
      if plan.routine?.returnsVoid == true { (status, hasBody) = (204, false) }
    case .insert:
      fields[.contentRange] = "*/" + counted(request, page)
      fields[.location] = result.string(.location).flatMap { Self.location(request, key: $0) }
      let inserted = result.string(.inserted).flatMap { Int($0) } ?? 0
      status = request.preferences.resolution == .mergeDuplicates && plan.hasConflictTarget && inserted <= 0 ? 200 : 201
    case .put:
      let isRepresented = request.preferences.returning == .representation
      status = isRepresented ? ((result.string(.inserted).flatMap { Int($0) } ?? 0) > 0 ? 201 : 200) : 204
    case .update:
      fields[.contentRange] = (page > 0 ? "0-\(page - 1)" : "*") + "/" + counted(request, page)
      status = request.preferences.returning == .representation ? 200 : 204
    case .delete:
      fields[.contentRange] = "*/" + counted(request, page)
      status = request.preferences.returning == .representation ? 200 : 204
    case .options: status = 200
    }
    let isMutation = request.action != .read && request.action != .call
    if isMutation, request.preferences.returning != .representation { hasBody = false }
    if let applied = Self.heeded(request, plan).applied { fields[.preferenceApplied] = applied }
    if hasBody {
      fields.append(HTTPField(name: .contentType, value: plan.negotiation.mediaType.contentType))
      if request.isProfiled { fields[.contentProfile] = request.schema }
    }
    try Self.override(&status, &fields, result)
    var response = ServerResponse(status: .init(code: status), headerFields: fields)
    if hasBody, let body = body(plan, result) { response.body = body }
    return response
  }

  /// A body whose parts come in rows, from the first on.
  static func body(_ first: PostgresResult, _ rows: PostgresRows, length: Int) -> HTTPBody {
    let first = LockIsolated(Optional(first))
    return HTTPBody(length: .known(Int64(length))) {
      let pending = first.withLock { first in
        defer { first = nil }
        return first
      }
      let row = if let pending { pending } else { try await rows.next() }
      return row?.withBytes(row: 0, column: Plan.Column.body.rawValue) { Array($0) }
    }
  }

  /// The answer to a request for PostgreSQL's plan.
  static func explanation(_ plan: Plan, _ result: PostgresResult) -> ServerResponse {
    let lines = (0..<result.rowCount).map { result.string(row: $0, column: 0) ?? "" }
    return ServerResponse(
      status: .ok, headerFields: [.contentType: plan.negotiation.mediaType.contentType],
      body: HTTPBody(lines.joined(separator: "\n") + "\n"))
  }

  /// Which methods there are for a relation, a function or the root.
  static func options(_ request: RESTRequest, _ catalog: Catalog) throws(RESTError) -> ServerResponse {
    var methods = ["OPTIONS", "GET", "HEAD"]
    switch request.target {
    case .root: break
    case .relation(let name):
      let relation = try catalog.relation(QualifiedName(request.schema, name))
      if relation.isInsertable { methods.append("POST") }
      if relation.isInsertable, relation.isUpdatable, !relation.primaryKey.isEmpty { methods.append("PUT") }
      if relation.isUpdatable { methods.append("PATCH") }
      if relation.isDeletable { methods.append("DELETE") }
    case .function(let name):
      let call = try CallPlan(request, nil, name: name, catalog)
      methods = call.routine.volatility == .volatile ? ["OPTIONS", "POST"] : methods + ["POST"]
    }
    return ServerResponse(
      status: .ok, headerFields: [.allow: methods.joined(separator: ","), .allowOrigin: "*"])
  }

  /// Status and `Content-Range` of a page: `0-9/*` when the total was not counted.
  static func range(offset: Int, page: Int, total: Int?) -> (status: Int, contentRange: String) {
    let rows = page > 0 ? "\(offset)-\(offset + page - 1)" : "*"
    guard let total else { return (200, rows + "/*") }
    if offset > 0, offset > total { return (416, "*/\(total)") }
    return (page < total ? 206 : 200, "\(rows)/\(total)")
  }

  private static func counted(_ request: RESTRequest, _ page: Int) -> String {
    request.preferences.count == .exact || request.preferences.count == .estimated ? String(page) : "*"
  }

  private static func body(_ plan: Plan, _ result: PostgresResult) -> HTTPBody? {
    if case .custom(_, _, isBinary: true) = plan.negotiation.body {
      return result.string(.body).flatMap(hexadecimalBytes).map { HTTPBody($0) }
    }
    return result.withBytes(row: 0, column: Plan.Column.body.rawValue) { HTTPBody(Array($0)) }
  }

  /// Reads PostgreSQL's text form of bytes: `\x00ff`.
  private static func hexadecimalBytes(_ text: String) -> [UInt8]? {
    guard text.hasPrefix("\\x") else { return Array(text.utf8) }
    let digits = text.utf8.dropFirst(2).compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// What of the preferences had an effect.
  private static func heeded(_ request: RESTRequest, _ plan: Plan) -> Preferences {
    var preferences = request.preferences
    switch request.action {
    case .read, .call:
      (preferences.returning, preferences.resolution, preferences.missing) = (nil, nil, nil)
      if request.action == .read, case .relation = request.target { preferences.maximumAffected = nil }
    case .insert:
      if !plan.hasConflictTarget { preferences.resolution = nil }
      preferences.maximumAffected = nil
    case .put: (preferences.resolution, preferences.missing, preferences.maximumAffected) = (nil, nil, nil)
    case .update, .delete, .options: preferences.resolution = nil
    }
    return preferences
  }

  private static func location(of request: RESTRequest) -> String {
    let path: String =
      switch request.target {
      case .root: "/"
      case .relation(let name): "/" + name.percentEncodedForPath
      case .function(let name): "/rpc/" + name.percentEncodedForPath
      }
    return request.canonicalQuery.isEmpty ? path : "\(path)?\(request.canonicalQuery)"
  }

  /// Where a row is found: `/todos?id=eq.1`.
  ///
  /// - Parameter key: names and values of its key, alternately, as a JSON array.
  private static func location(_ request: RESTRequest, key: String) -> String? {
    guard case .relation(let relation) = request.target,
      let parts = try? JSONDecoder().decode([String?].self, from: Data(key.utf8))
    else { return nil }
    let conditions = stride(from: 0, to: parts.count - 1, by: 2).map { index in
      let value = parts[index + 1].map { "eq." + $0.percentEncodedForQuery } ?? "is.null"
      return (parts[index] ?? "").percentEncodedForQuery + "=" + value
    }
    return "/\(relation.percentEncodedForPath)?" + conditions.joined(separator: "&")
  }

  /// Applies what a function has set for the answer: `response.status` and `response.headers`.
  private static func override(
    _ status: inout Int, _ fields: inout HTTPFields, _ result: PostgresResult
  ) throws(RESTError) {
    if let text = result.string(.status) {
      guard let code = Int(text), (200...999).contains(code) else { throw .invalidStatusSetting }
      status = code
    }
    guard let text = result.string(.fields) else { return }
    guard let objects = try? JSONDecoder().decode([[String: String]].self, from: Data(text.utf8)),
      objects.allSatisfy({ $0.count == 1 })
    else { throw .invalidHeaderSetting }
    var replaced: Set<HTTPField.Name> = []
    for object in objects {
      for (name, value) in object {
        guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { throw .invalidHeaderSetting }
        if replaced.insert(name).inserted { fields[name] = nil }
        fields.append(HTTPField(name: name, value: value))
      }
    }
  }
}

extension PostgresResult {
  func string(_ column: Plan.Column) -> String? { string(row: 0, column: column.rawValue) }
}

extension HTTPField.Name {
  static let proxyStatus = Self(unchecked: "Proxy-Status")
  static let contentLocation = Self(unchecked: "Content-Location")
  static let allowOrigin = Self(unchecked: "Access-Control-Allow-Origin")
  static let serverTiming = Self(unchecked: "Server-Timing")
}

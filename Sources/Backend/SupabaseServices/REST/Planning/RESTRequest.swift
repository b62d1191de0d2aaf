internal import SwiftwaterHTTP

/// What a request asks of one relation, parsed but not yet looked up.
struct RESTRequest {
  enum Action: Equatable {
    case read
    case insert
    case update
    case delete
  }

  var action: Action
  var schema: String
  var relation: String
  var select: [SelectItem]
  var filters: [Filter]
  var order: [OrderTerm]
  var range: RowRange
  var preferences: Preferences
  /// The columns that an insertion or change sets, from `columns=`; nil for those that the payload names.
  var columns: [String]?
  /// The target's path below the service, for `request.path`.
  var path: String

  /// Parameters that are no filters.
  private static let reservedParameters: Set<String> = ["select", "order", "limit", "offset", "columns"]
  private static let laterParameters: Set<String> = ["on_conflict", "and", "or", "not.and", "not.or"]

  /// Parses a request.
  ///
  /// - Parameters:
  ///   - target: path and query as sent, without the prefix that the service is mounted at.
  ///   - schemas: the exposed schemas; the first is the default.
  init(method: HTTPRequest.Method, target: String, fields: HTTPFields, schemas: [String]) throws(RESTError) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    let parameters = try QueryParameters(parts.count > 1 ? parts[1] : "")
    let segments = parts[0].split(separator: "/")
    guard segments.count == 1 else { throw .invalidPath() }
    relation = try QueryParameters.decode(segments[0][...].replacingPlus)

    switch method {
    case .get, .head: action = .read
    case .post: action = .insert
    case .patch: action = .update
    case .delete: action = .delete
    default: throw .unsupportedMethod(method.rawValue)
    }
    try Self.checkAccept(fields[.accept])
    schema = try Self.schema(fields, isRead: action == .read, schemas: schemas)
    preferences = try Preferences(fields)
    select = try SelectItem.list(parameters["select"] ?? "*")
    order = try OrderTerm.list(parameters["order"] ?? "")
    range = try RowRange(parameters: parameters, rangeHeader: method == .get ? fields[.range] : nil)
    columns = try parameters["columns"].map { columns throws(RESTError) in try Self.columns(columns) }
    for parameter in parameters.parameters where Self.laterParameters.contains(parameter.name) {
      throw .notYet("The parameter \(parameter.name)")
    }
    // An insertion has no rows to filter yet.
    filters = []
    guard action != .insert else { return }
    for parameter in parameters.parameters where !Self.reservedParameters.contains(parameter.name) {
      filters.append(try Filter(column: parameter.name, value: parameter.value))
    }
  }

  /// Reads `columns=a,"b c"`.
  private static func columns(_ value: String) throws(RESTError) -> [String] {
    var scanner = ParameterScanner(value, subject: "columns parameter")
    var columns: [String] = []
    repeat { columns.append(try scanner.columnName()) } while scanner.skip(",")
    try scanner.expectEnd(or: "\",\"")
    return columns
  }

  private static func schema(_ fields: HTTPFields, isRead: Bool, schemas: [String]) throws(RESTError) -> String {
    guard let profile = fields[isRead ? .acceptProfile : .contentProfile] else { return schemas.first ?? "public" }
    guard schemas.contains(profile) else { throw .unknownSchema(profile, offered: schemas) }
    return profile
  }

  private static func checkAccept(_ accept: String?) throws(RESTError) {
    guard let accept, !accept.isEmpty else { return }
    let offered: Set<Substring> = ["*/*", "application/*", "application/json"]
    let isOffered = accept.split(separator: ",").contains { entry in
      offered.contains((entry.split(separator: ";").first ?? "").trimmingSpaces)
    }
    guard isOffered else { throw .notAcceptable(accept) }
  }
}

extension Substring {
  /// In a path a plus sign is itself.
  fileprivate var replacingPlus: Substring { self.replacing("+", with: "%2B")[...] }
}

extension HTTPField.Name {
  static let acceptProfile = Self(unchecked: "Accept-Profile")
  static let contentProfile = Self(unchecked: "Content-Profile")
}

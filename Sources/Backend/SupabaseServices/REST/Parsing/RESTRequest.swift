internal import SwiftwaterHTTP

/// What a request asks, parsed but not yet looked up.
struct RESTRequest: Sendable {
  enum Target: Equatable, Sendable {
    case root
    case relation(String)
    case function(String)
  }

  enum Action: Equatable, Sendable {
    /// Rows of a relation, a function that changes nothing, or the description of the schema.
    case read
    case insert
    case update
    /// One row under the key that the filters give.
    case put
    case delete
    /// A function, with its arguments in the body.
    case call
    /// Which methods there are.
    case options
  }

  /// Something asked of the rows of the relation that the path leads to; the path is empty for those of the target.
  struct Located<Value: Sendable>: Sendable {
    var embeds: [String]
    var value: Value
  }

  var target: Target
  var action: Action
  /// Whether only the head of the answer is wanted.
  var isHead = false
  var schema: String
  /// Whether the schema is one of several, so that the answer tells which.
  var isProfiled = false
  var select: [SelectItem] = []
  var filters: [Located<Filter>] = []
  var logic: [Located<LogicTree>] = []
  var order: [Located<[OrderTerm]>] = []
  /// The ranges of embedded rows.
  var ranges: [Located<RowRange>] = []
  /// The range of the target's rows.
  var range = RowRange.all
  var preferences = Preferences()
  var accepted: [MediaType] = [.any]
  var contentType = MediaType.json
  /// The columns that an insertion or change sets, from `columns=`; nil for those that the payload names.
  var columns: [String]?
  var conflictColumns: [String]?
  /// The arguments of a function that is called without a body.
  var arguments: [(name: String, value: String)] = []
  /// The target's path below the service, for `request.path`.
  var path: String
  var canonicalQuery = ""
}

extension RESTRequest {
  /// Whether nothing but all columns are asked for.
  var selectsWholeRows: Bool {
    guard select.count == 1, case .field(let field) = select[0] else { return false }
    return field == SelectItem.Field(path: FieldPath(name: "*"))
  }

  private static let embeddable: Set<Substring> = ["order", "limit", "offset", "and", "or"]
  private static func isReserved(_ name: String) -> Bool {
    name == "select" || name == "columns" || name == "on_conflict"
  }

  /// Parses a request.
  ///
  /// - Parameter target: path and query as sent, without the prefix that the service is mounted at.
  init(_ head: HTTPRequest, target: String, _ configuration: RESTService.Configuration) throws(RESTError) {
    let fields = head.headerFields
    let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    path = end == target.startIndex ? "/" : String(target[..<end])
    let query = end == target.endIndex ? "" : target[target.utf8.index(after: end)...]
    self.target = try Self.target(path, configuration)
    isHead = head.method == .head
    action = try Self.action(head.method, self.target)
    (schema, isProfiled) = try Self.schema(fields, action: action, method: head.method, configuration)
    let parameters = try QueryParameters(query)
    canonicalQuery = parameters.canonical
    preferences = Preferences(fields)
    if configuration.transactionEnd == .commit || configuration.transactionEnd == .rollback {
      preferences.transaction = nil
    }
    accepted = MediaType.accepted(fields[.accept])
    contentType = fields[.contentType].map { MediaType($0) } ?? .json
    select = try SelectItem.list(parameters["select"] ?? "*")
    columns = try parameters["columns"].map { value throws(RESTError) in try Self.names(value, of: "columns") }
    conflictColumns = try parameters["on_conflict"].map { value throws(RESTError) in
      try Self.names(value, of: "on_conflict")
    }
    try take(parameters)
    try takeRanges(parameters, header: head.method == .get ? fields[.range] : nil)
  }

  private mutating func take(_ parameters: QueryParameters) throws(RESTError) {
    var ordered: Set<[String]> = []
    for parameter in parameters.parameters {
      guard let value = parameter.value, !Self.isReserved(parameter.name) else { continue }
      let dot = parameter.name.utf8.lastIndex(of: UInt8(ascii: "."))
      let lastWord = dot.map { String(parameter.name[parameter.name.utf8.index(after: $0)...]) } ?? parameter.name
      switch lastWord {
      case "and", "or":
        let (embeds, tree) = try LogicTree.parameter(name: parameter.name, value: value)
        logic.append(Located(embeds: embeds, value: tree))
      case "order":
        let (embeds, terms) = try OrderTerm.parameter(name: parameter.name, value: value)
        // Of several orders for the same rows the first counts.
        if ordered.insert(embeds).inserted { order.append(Located(embeds: embeds, value: terms)) }
      case "limit", "offset": break
      default:
        let isEmbedded = dot != nil
        // Where a function is called with a body its arguments are there, and what stands here can only be a filter.
        if case .function = self.target, action != .call, !isEmbedded, !Filter.isFilter(value) {
          arguments.append((parameter.name, value))
        } else if action != .insert || isEmbedded {
          // An insertion has no rows to filter yet, but what is embedded in its answer has.
          let (embeds, filter) = try Filter.parameter(name: parameter.name, value: value)
          filters.append(Located(embeds: embeds, value: filter))
        }
      }
    }
  }

  private mutating func takeRanges(_ parameters: QueryParameters, header: String?) throws(RESTError) {
    var limits: [(prefix: String, limit: String?, offset: String?)] = []
    var places: [String: Int] = [:]
    for parameter in parameters.parameters {
      let isLimit = parameter.name.hasSuffix("limit")
      guard isLimit || parameter.name.hasSuffix("offset") else { continue }
      let prefix = String(parameter.name.dropLast(isLimit ? 5 : 6))
      guard prefix.isEmpty || prefix.hasSuffix(".") else { continue }
      let place = places[prefix, default: limits.count]
      if place == limits.count {
        places[prefix] = place
        limits.append((prefix, nil, nil))
      }
      if isLimit { limits[place].limit = parameter.value } else { limits[place].offset = parameter.value }
    }
    if action == .put, limits.contains(where: { $0.prefix.isEmpty }) { throw .limitedPut }
    for (prefix, limit, offset) in limits {
      let range = try RowRange(limit: limit, offset: offset)
      if prefix.isEmpty {
        self.range = range
      } else {
        ranges.append(Located(embeds: try OrderTerm.embeds(prefix + "limit"), value: range))
      }
    }
    if let header, action == .read, let asked = try RowRange(header: header) {
      let whole = range.limit
      range = range.intersection(asked)
      if range.limit == 0, whole != 0 {
        throw .rangeNotSatisfiable("Limit should be greater than or equal to zero.")
      }
    }
  }

  private static func target(
    _ path: String, _ configuration: RESTService.Configuration
  ) throws(RESTError) -> Target {
    let segments = path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    switch segments.count {
    case 0: return configuration.rootFunction.map(Target.function) ?? .root
    case 1: return .relation(try QueryParameters.decode(segments[0], keepsPlus: true))
    case 2 where segments[0] == "rpc": return .function(try QueryParameters.decode(segments[1], keepsPlus: true))
    default: throw .invalidPath
    }
  }

  private static func action(_ method: HTTPRequest.Method, _ target: Target) throws(RESTError) -> Action {
    switch (method, target) {
    case (.options, _): return .options
    case (.get, _), (.head, _): return .read
    case (.post, .function): return .call
    case (_, .function): throw .invalidRPCMethod(method.rawValue)
    case (.post, .relation): return .insert
    case (.patch, .relation): return .update
    case (.put, .relation): return .put
    case (.delete, .relation): return .delete
    default: throw .unsupportedMethod(method.rawValue)
    }
  }

  private static func schema(
    _ fields: HTTPFields, action: Action, method: HTTPRequest.Method, _ configuration: RESTService.Configuration
  ) throws(RESTError) -> (schema: String, isProfiled: Bool) {
    let schemas = configuration.schemas
    let standard = schemas.first ?? "public"
    guard schemas.count > 1 else { return (standard, false) }
    guard let profile = fields[action == .read ? .acceptProfile : .contentProfile] else { return (standard, true) }
    guard schemas.contains(profile) else { throw .unknownSchema(profile, offered: schemas) }
    return (profile, true)
  }

  /// Reads `a,"b c"`.
  private static func names(_ value: String, of parameter: String) throws(RESTError) -> [String] {
    try ParameterScanner.parse(value, as: "\(parameter) parameter") { scanner throws(ParameterScanner.Failure) in
      var names: [String] = []
      repeat {
        scanner.skipSpaces()
        names.append(try scanner.fieldName())
        scanner.skipSpaces()
      } while scanner.skip(",")
      return names
    }
  }
}

extension HTTPField.Name {
  static let acceptProfile = Self(unchecked: "Accept-Profile")
  static let contentProfile = Self(unchecked: "Content-Profile")
}

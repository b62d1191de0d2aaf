/// What a request changes in one relation.
struct MutationPlan: Sendable {
  /// A column that is set.
  struct Column: Sendable {
    var name: String
    /// The type that the payload's value is read as.
    var type: String
    /// The function that makes the column's type of that.
    var representation: String?
    var defaultValue: String?
  }

  struct Conflict: Sendable {
    var resolution: Preferences.Resolution
    var columns: [String]
  }

  var relation: Relation
  /// The payload, and whether it is a list of rows.
  var json = "[]"
  var isArray = true
  var columns: [Column] = []
  var appliesDefaults = false
  var conditions: [ReadNode.Condition] = []
  var conflict: Conflict?
  /// The columns that the answer is made of; `*` for all.
  var returned: [String] = []
}

extension MutationPlan {
  /// - Parameter answer: what the answer shows of the changed rows.
  init(
    _ request: RESTRequest, _ payload: Payload?, _ relation: Relation, answer: ReadNode, _ catalog: Catalog
  ) throws(RESTError) {
    self.relation = relation
    if case .json(let json, let keys, let isArray)? = payload {
      self.json = json
      self.isArray = isArray
      columns = try keys.map { key throws(RESTError) in
        guard let column = relation.column(key) else { throw .unknownColumn(key, of: relation.name) }
        let representation = catalog.representation(from: "json", to: column.type)
        return Column(
          name: column.name, type: representation == nil ? column.type : "json", representation: representation,
          defaultValue: column.defaultValue)
      }
    }
    appliesDefaults = request.preferences.missing == .default && !columns.isEmpty && request.action != .put
    if request.action != .insert { conditions = Self.conditions(request, relation, catalog) }
    switch request.action {
    case .insert:
      if let resolution = request.preferences.resolution {
        conflict = Conflict(resolution: resolution, columns: request.conflictColumns ?? relation.primaryKey)
      }
    case .put:
      try Self.checkPut(request, relation)
      conflict = Conflict(resolution: .mergeDuplicates, columns: relation.primaryKey)
    case .read, .update, .delete, .call, .options: break
    }
    switch request.preferences.returning {
    case .representation: returned = answer.neededColumns(besides: relation.primaryKey)
    case .headersOnly where request.action == .insert: returned = relation.primaryKey
    case .headersOnly, .minimal, nil: break
    }
  }

  private static func conditions(
    _ request: RESTRequest, _ relation: Relation, _ catalog: Catalog
  ) -> [ReadNode.Condition] {
    func resolved(_ tree: LogicTree) -> ReadNode.Condition {
      switch tree {
      case .filter(let filter):
        ReadPlanner.condition(filter, type: relation.column(filter.path.name)?.type, catalog)
      case .junction(let junction, let isNegated, let members):
        .junction(junction, isNegated: isNegated, members.map(resolved))
      }
    }
    return request.filters.filter(\.embeds.isEmpty).map { resolved(.filter($0.value)) }
      + request.logic.filter(\.embeds.isEmpty).map { resolved($0.value) }
  }

  /// A row is put under its whole primary key and nothing else.
  private static func checkPut(_ request: RESTRequest, _ relation: Relation) throws(RESTError) {
    let filters = request.filters.filter(\.embeds.isEmpty).map(\.value)
    let isKey = filters.allSatisfy { filter in
      guard case .comparison(.equal, nil, _) = filter.condition else { return false }
      return !filter.isNegated && filter.path.steps.isEmpty
    }
    let names = Set(filters.map(\.path.name))
    let hasLogic = request.logic.contains(where: \.embeds.isEmpty)
    guard isKey, !hasLogic, !names.isEmpty, names == Set(relation.primaryKey) else { throw .invalidPutFilters }
  }
}

extension ReadNode {
  /// The columns of the node's relation that its query reads, so that no privilege is asked for in vain.
  func neededColumns(besides others: [String]) -> [String] {
    if columns.contains(where: \.field.isStar) || columns.isEmpty && children.isEmpty { return ["*"] }
    var names = columns.map(\.field.path.name) + order.filter { $0.embed == nil }.map(\.path.name) + others
    for child in children {
      switch child.link?.kind {
      case .oneToMany(_, let pairs)?, .manyToOne(_, let pairs)?, .oneToOne(_, let pairs)?: names += pairs.map(\.column)
      case .manyToMany(let junction)?: names += junction.pairs.map(\.column)
      // A function of the row may look at any column.
      case .computed?: return ["*"]
      case nil: break
      }
    }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

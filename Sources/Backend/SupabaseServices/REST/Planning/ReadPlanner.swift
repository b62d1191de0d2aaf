/// Makes the tree of what a request reads and looks up what it names.
struct ReadPlanner {
  private let request: RESTRequest
  private let catalog: Catalog

  init(_ request: RESTRequest, _ catalog: Catalog) {
    self.request = request
    self.catalog = catalog
  }

  /// - Parameters:
  ///   - relation: the rows' relation, or the function if it returns no relation's rows.
  ///   - source: where the root's rows come from.
  func plan(_ relation: QualifiedName, from source: ReadNode.Source) throws(RESTError) -> ReadNode {
    var root = ReadNode(relation: relation, known: catalog.relations[relation], name: relation.name, depth: 0)
    root.source = source
    try addItems(request.select, to: &root)
    try addRequested(to: &root)
    if !catalog.configuration.allowsAggregates { try refuseAggregates(root) }
    try resolve(&root, hasOuterAggregate: false)
    let isMutation = request.action != .read && request.action != .call
    if !isMutation { limit(&root) }
    return root
  }

  // MARK: The tree

  private func addItems(_ items: [SelectItem], to node: inout ReadNode) throws(RESTError) {
    for item in items {
      switch item {
      case .field(let field):
        node.columns.append(ReadNode.Column(field: field))
      case .embed(let embed):
        var child = ReadNode(
          relation: QualifiedName(request.schema, embed.target), name: embed.target, depth: node.depth + 1)
        child.alias = embed.alias
        child.hint = embed.hint
        child.join = embed.join
        child.isSpread = embed.isSpread
        try addItems(embed.items, to: &child)
        node.children.append(child)
      }
    }
  }

  /// Puts filters, orders and ranges where their paths lead.
  private func addRequested(to root: inout ReadNode) throws(RESTError) {
    let isMutation = request.action != .read && request.action != .call
    for located in request.filters where !(isMutation && located.embeds.isEmpty) {
      try change(located.embeds[...], in: &root) { node throws(RESTError) in
        node.conditions.append(.unresolved(.filter(located.value)))
      }
    }
    for located in request.logic where !(isMutation && located.embeds.isEmpty) {
      try change(located.embeds[...], in: &root) { node throws(RESTError) in
        node.conditions.append(.unresolved(located.value))
      }
    }
    for located in request.order {
      try change(located.embeds[...], in: &root) { node throws(RESTError) in node.order = located.value }
    }
    for located in request.ranges {
      try change(located.embeds[...], in: &root) { node throws(RESTError) in node.range = located.value }
    }
    if !isMutation { root.range = request.range }
  }

  private func change(
    _ path: ArraySlice<String>, in node: inout ReadNode, _ change: (inout ReadNode) throws(RESTError) -> Void
  ) throws(RESTError) {
    guard let name = path.first else { return try change(&node) }
    let index = node.children.firstIndex { child in
      catalog.configuration.usesLegacyTargetNames
        ? child.name == name || child.alias == name : child.resultName == name
    }
    guard let index else {
      throw .notEmbedded(name, alias: node.children.first { $0.name == name }?.alias)
    }
    try self.change(path.dropFirst(), in: &node.children[index], change)
  }

  // MARK: Looking up

  private func resolve(_ node: inout ReadNode, hasOuterAggregate: Bool) throws(RESTError) {
    let hasAggregate = hasOuterAggregate || node.hasAggregate
    for index in node.children.indices {
      var child = node.children[index]
      let relationship = try RelationshipFinder(catalog, schema: request.schema)
        .relationship(from: node.relation, to: child.name, hint: child.hint)
      child.link = relationship
      child.relation = relationship.foreign
      child.known = catalog.relations[relationship.foreign]
      child.joinAlias = "\(node.relation.name)_\(child.resultName)_\(child.depth)"
      try resolve(&child, hasOuterAggregate: hasAggregate)
      if child.isSpread, !child.isToOne, Self.hoistsAggregate(child) {
        throw .notImplemented("Aggregates are not implemented for one-to-many or many-to-many spreads.")
      }
      node.children[index] = child
    }
    expandStars(&node, hasAggregate: hasAggregate)
    for index in node.columns.indices { resolve(&node.columns[index], of: node) }
    node.conditions = node.conditions.map { resolved($0, of: node) }
    for index in node.order.indices { try resolve(&node.order[index], of: node) }
  }

  private static func hoistsAggregate(_ node: ReadNode) -> Bool {
    node.hasAggregate || node.children.contains { $0.isSpread && hoistsAggregate($0) }
  }

  /// Names each column where the star would not do: some are converted, some are grouped by, some become lists.
  private func expandStars(_ node: inout ReadNode, hasAggregate: Bool) {
    guard node.columns.contains(where: \.field.isStar) else { return }
    let isConverted = node.known.map(catalog.hasRepresentations) ?? false
    guard hasAggregate || isConverted || node.isSpread else { return }
    node.columns = node.columns.flatMap { column -> [ReadNode.Column] in
      guard column.field.isStar else { return [column] }
      if column.field.aggregate == nil {
        guard let known = node.known else { return [column] }
        return known.columns.map { known in
          var field = column.field
          field.path = FieldPath(name: known.name)
          return ReadNode.Column(field: field)
        }
      }
      var column = column
      column.isWholeRow = node.isSpread
      return [column]
    }
  }

  private func resolve(_ column: inout ReadNode.Column, of node: ReadNode) {
    guard let type = node.known?.column(column.field.path.name)?.type else { return }
    column.isJSON = type == "json" || type == "jsonb"
    if column.field.path.steps.isEmpty { column.representation = catalog.representation(from: type, to: "json") }
  }

  private func resolved(_ condition: ReadNode.Condition, of node: ReadNode) -> ReadNode.Condition {
    switch condition {
    case .unresolved(let tree): conditions(tree, of: node)
    case .filter, .presence, .junction: condition
    }
  }

  private func conditions(_ tree: LogicTree, of node: ReadNode) -> ReadNode.Condition {
    switch tree {
    case .junction(let junction, let isNegated, let members):
      return .junction(junction, isNegated: isNegated, members.map { conditions($0, of: node) })
    case .filter(let filter):
      if filter.path.steps.isEmpty, case .is(let constant) = filter.condition, constant == .null,
        let child = node.children.first(where: { $0.resultName == filter.path.name })
      {
        return .presence(childAlias: child.joinAlias, isNegated: !filter.isNegated)
      }
      return Self.condition(filter, type: catalog.type(of: filter.path.name, in: node), catalog)
    }
  }

  /// A filter with what its column's type means for it.
  static func condition(_ filter: Filter, type: String?, _ catalog: Catalog) -> ReadNode.Condition {
    .filter(
      filter, representation: type.flatMap { catalog.representation(from: "text", to: $0) },
      isJSON: type == "json" || type == "jsonb", isTextVector: type.map(catalog.baseType) == "tsvector")
  }

  private func resolve(_ term: inout OrderTerm, of node: ReadNode) throws(RESTError) {
    guard let name = term.embed else { return }
    guard let child = node.children.first(where: { $0.resultName == name }) else { throw .notEmbedded(name) }
    guard child.isToOne else { throw .unrelatedOrder(origin: node.relation.name, target: name) }
    term.embed = child.joinAlias
  }

  private func refuseAggregates(_ node: ReadNode) throws(RESTError) {
    if node.hasAggregate { throw .noAggregates }
    for child in node.children { try refuseAggregates(child) }
  }

  private func limit(_ node: inout ReadNode) {
    node.range = node.range.limited(to: catalog.configuration.maximumRows)
    for index in node.children.indices { limit(&node.children[index]) }
  }
}

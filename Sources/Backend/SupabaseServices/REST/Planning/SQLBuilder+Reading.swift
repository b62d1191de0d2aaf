/// Queries of a `ReadNode` and its children.
extension SQLBuilder {
  /// The name under which a statement's changed rows, or those of a function, are read.
  static let changedRows = "swiftwater_source"

  /// The query that gives the node's rows.
  mutating func read(_ node: ReadNode, outer: ReadNode? = nil) {
    sql("SELECT ")
    selectList(node)
    source(node, outer: outer)
    for child in node.children { join(child, outer: node) }
    whereClause(node, outer: outer)
    groupBy(node)
    if !node.order.isEmpty { order(node.order, of: node.qualifier, node.known) }
    limit(node.range)
  }

  /// The query that counts as many rows as there would be without limits.
  mutating func count(_ node: ReadNode, outer: ReadNode? = nil) {
    sql("SELECT 1")
    source(node, outer: outer)
    whereClause(node, outer: outer, isCounting: true)
  }

  // MARK: Columns

  private mutating func selectList(_ node: ReadNode) {
    var isFirst = true
    func separate(_ builder: inout SQLBuilder) {
      if !isFirst { builder.sql(", ") }
      isFirst = false
    }
    for column in node.columns where !(column.field.isStar && node.isColumnless) {
      separate(&self)
      self.column(column, of: node)
    }
    for child in node.children where !child.isInvisible {
      if child.isSpread {
        for column in spreadColumns(of: child) {
          separate(&self)
          spread(column, of: child, isHoisted: node.isSpread)
        }
      } else {
        separate(&self)
        embedded(child)
      }
    }
    // The root's rows are all wanted when nothing is named; of a child that is only looked for none are.
    if isFirst, !node.isColumnless { sql(node.link == nil ? "\(node.qualifier).*" : "1") }
  }

  private mutating func column(_ column: ReadNode.Column, of node: ReadNode) {
    let field = column.field
    // What is spread is added up in the outer query.
    let aggregate = node.isSpread ? nil : field.aggregate
    if aggregate != nil, field.aggregateCast != nil { sql("CAST(") }
    if let aggregate { sql("\(aggregate.rawValue)(") }
    if field.cast != nil { sql("CAST(") }
    if let representation = column.representation { sql("\(representation)(") }
    if column.isWholeRow {
      sql(node.qualifier)
    } else {
      self.field(field.path, of: node.qualifier, isJSON: column.isJSON)
    }
    if column.representation != nil { sql(")") }
    // In parentheses nothing but a type can stand: behind a bare `::` clauses of words alone could follow.
    if let cast = field.cast { sql(" AS \(cast))") }
    if aggregate != nil { sql(")") }
    if aggregate != nil, let cast = field.aggregateCast { sql(" AS \(cast))") }
    if let alias = column.alias {
      sql(" AS ")
      identifier(alias)
    } else if node.isSpread, field.cast != nil {
      sql(" AS ")
      identifier(field.path.name)
    }
  }

  private mutating func embedded(_ child: ReadNode) {
    if child.isToOne {
      sql("row_to_json(")
      identifier(child.joinAlias)
      sql(".*)::jsonb AS ")
    } else {
      sql("coalesce(")
      identifier(child.joinAlias)
      sql(".")
      identifier(child.joinAlias)
      sql(", '[]') AS ")
    }
    identifier(child.resultName)
  }

  /// What a spread relation and those that are spread in it give to the outer row.
  private func spreadColumns(of node: ReadNode) -> [ReadNode.SpreadColumn] {
    node.columns.map { column in
      ReadNode.SpreadColumn(
        name: column.alias ?? column.field.path.name, alias: column.field.aggregate == nil ? nil : column.alias,
        aggregate: column.field.aggregate, aggregateCast: column.field.aggregateCast)
    }
      + node.children.filter { !$0.isInvisible }.flatMap { child -> [ReadNode.SpreadColumn] in
        child.isSpread ? spreadColumns(of: child) : [ReadNode.SpreadColumn(name: child.resultName)]
      }
  }

  /// - Parameter isHoisted: the outer row is spread itself, so the next query adds up.
  private mutating func spread(_ column: ReadNode.SpreadColumn, of child: ReadNode, isHoisted: Bool) {
    let aggregate = isHoisted ? nil : column.aggregate
    if aggregate != nil, column.aggregateCast != nil { sql("CAST(") }
    if let aggregate { sql("\(aggregate.rawValue)(") }
    if !child.isToOne { sql("coalesce(") }
    identifier(child.joinAlias)
    sql(".")
    if column.name == "*" { sql("*") } else { identifier(column.name) }
    if !child.isToOne {
      sql(", '[]') AS ")
      identifier(column.name)
    }
    guard aggregate != nil else { return }
    sql(")")
    if let cast = column.aggregateCast { sql(" AS \(cast))") }
    if let alias = column.alias {
      sql(" AS ")
      identifier(alias)
    }
  }

  // MARK: Sources

  private mutating func source(_ node: ReadNode, outer: ReadNode?) {
    sql(" FROM ")
    if case .changedRows = node.source {
      return sql("\(Self.changedRows) AS \(Self.quoted(node.relation.name))")
    }
    switch (node.link?.kind, outer) {
    case (.computed(let function, _)?, let outer?):
      name(function)
      sql("(\(outer.rowName)")
      // Names the function among those that are overloaded, where the outer row is one of a query.
      if let relation = node.link?.relation { sql("::\(Self.quoted(relation))") }
      sql(") AS \(node.qualifier)")
    case (.manyToMany(let junction)?, _):
      name(node.relation)
      sql(" AS \(node.qualifier), ")
      name(junction.table)
      sql(" AS \(junctionAlias(node))")
    case (nil, _): name(node.relation)
    default:
      name(node.relation)
      sql(" AS \(node.qualifier)")
    }
  }

  private func junctionAlias(_ node: ReadNode) -> String { Self.quoted("swiftwater_junction_\(node.depth)") }

  private mutating func join(_ child: ReadNode, outer: ReadNode) {
    let isInner = child.join == .inner
    sql(isInner ? " INNER JOIN LATERAL (" : " LEFT JOIN LATERAL (")
    let alias = Self.quoted(child.joinAlias)
    if child.isToOne {
      read(child, outer: outer)
    } else {
      sql("SELECT ")
      if child.isSpread, !child.isInvisible {
        list(spreadColumns(of: child)) { builder, column in
          builder.sql("json_agg(\(alias).\(Self.quoted(column.name)))::jsonb AS \(Self.quoted(column.name))")
        }
        sql(", nullif(count(*), 0) AS \(alias)")
      } else {
        sql("json_agg(\(alias))::jsonb AS \(alias)")
      }
      sql(" FROM (")
      read(child, outer: outer)
      sql(") AS \(alias)")
    }
    sql(") AS \(alias) ON ")
    sql(isInner && !child.isToOne ? "\(alias).\(alias) IS NOT NULL" : "TRUE")
  }

  // MARK: Rows

  private mutating func whereClause(_ node: ReadNode, outer: ReadNode?, isCounting: Bool = false) {
    var isFirst = true
    func next(_ builder: inout SQLBuilder) {
      builder.sql(isFirst ? " WHERE " : " AND ")
      isFirst = false
    }
    for condition in node.conditions {
      next(&self)
      if isCounting { countedCondition(condition, of: node) } else { self.condition(condition, of: node.qualifier) }
    }
    if let link = node.link, let outer {
      switch link.kind {
      case .computed: break
      case .oneToMany(_, let pairs), .manyToOne(_, let pairs), .oneToOne(_, let pairs):
        for pair in pairs {
          next(&self)
          sql("\(node.qualifier).\(Self.quoted(pair.foreignColumn)) = \(outer.qualifier).\(Self.quoted(pair.column))")
        }
      case .manyToMany(let junction):
        let alias = junctionAlias(node)
        for pair in junction.foreignPairs {
          next(&self)
          sql("\(node.qualifier).\(Self.quoted(pair.column)) = \(alias).\(Self.quoted(pair.foreignColumn))")
        }
        for pair in junction.pairs {
          next(&self)
          sql("\(outer.qualifier).\(Self.quoted(pair.column)) = \(alias).\(Self.quoted(pair.foreignColumn))")
        }
      }
    }
    guard isCounting else { return }
    for child in node.children where child.join == .inner {
      next(&self)
      sql("EXISTS (")
      count(child, outer: node)
      sql(")")
    }
  }

  /// Without the joins: whether a child has rows is asked of the child.
  private mutating func countedCondition(_ condition: ReadNode.Condition, of node: ReadNode) {
    switch condition {
    case .presence(let alias, let isNegated):
      guard let child = node.children.first(where: { $0.joinAlias == alias }) else { return sql("TRUE") }
      sql(isNegated ? "NOT EXISTS (" : "EXISTS (")
      count(child, outer: node)
      sql(")")
    case .junction(let junction, let isNegated, let members):
      sql(isNegated ? "NOT (" : "(")
      list(members, separator: junction == .and ? " AND " : " OR ") { $0.countedCondition($1, of: node) }
      sql(")")
    case .filter, .unresolved: self.condition(condition, of: node.qualifier)
    }
  }

  private mutating func groupBy(_ node: ReadNode) {
    let spread = node.children.filter { $0.isSpread && !$0.isInvisible }
    let isAggregated =
      !node.isSpread && node.hasAggregate
      || !node.isSpread && spread.contains { spreadColumns(of: $0).contains { $0.aggregate != nil } }
    guard isAggregated else { return }
    var isFirst = true
    func next(_ builder: inout SQLBuilder) {
      builder.sql(isFirst ? " GROUP BY " : ", ")
      isFirst = false
    }
    for column in node.columns where column.field.aggregate == nil {
      next(&self)
      if let alias = column.alias {
        identifier(alias)
      } else {
        field(column.field.path, of: node.qualifier, isJSON: column.isJSON)
      }
    }
    for child in node.children where !child.isInvisible {
      if child.isSpread {
        for column in spreadColumns(of: child) where column.aggregate == nil {
          next(&self)
          sql("\(Self.quoted(child.joinAlias)).\(Self.quoted(column.name))")
        }
      } else {
        next(&self)
        identifier(child.resultName)
      }
    }
  }
}

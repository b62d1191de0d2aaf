/// Rows of one relation that a request reads, with what is embedded in them.
struct ReadNode: Sendable {
  /// Where the rows come from.
  enum Source: Sendable {
    /// The relation itself, or what a relationship makes of the outer row.
    case relation
    /// The rows that the statement has changed or that a function has returned, under the relation's name.
    case changedRows
  }

  /// A column of the answer.
  struct Column: Sendable {
    var field: SelectItem.Field
    /// The function that makes JSON of the column's type.
    var representation: String?
    /// Whether the column holds JSON already.
    var isJSON = false
    /// Whether the whole row is meant and not its columns: what `count()` of a spread relation counts.
    var isWholeRow = false

    /// The name in the answer, where it is not just the column's.
    var alias: String? {
      if let alias = field.alias { return alias }
      if field.aggregate != nil { return isWholeRow ? "count" : nil }
      return field.path.resultName ?? (representation == nil ? nil : field.path.name)
    }
  }

  /// A column that a spread relation gives to the outer row.
  struct SpreadColumn: Sendable {
    var name: String
    var alias: String?
    var aggregate: SelectItem.Aggregate?
    var aggregateCast: String?
  }

  var relation: QualifiedName
  /// What is known of the relation; nil for one that is not exposed.
  var known: Relation?
  var source = Source.relation
  /// What the request calls it, and the name in the answer if that is another.
  var name: String
  var alias: String?
  var hint: String?
  var join: SelectItem.Join?
  var isSpread = false
  var depth: Int

  var columns: [Column] = []
  var conditions: [Condition] = []
  var order: [OrderTerm] = []
  var range = RowRange.all
  var children: [ReadNode] = []

  /// How the rows hang on those of the outer node; nil for the root.
  var link: Relationship?
  /// The name of the joined subquery.
  var joinAlias = ""

  var resultName: String { alias ?? name }

  /// A filter or a tree of them, resolved.
  indirect enum Condition: Sendable {
    /// As requested, not yet looked up.
    case unresolved(LogicTree)
    case filter(Filter, representation: String?, isJSON: Bool, isTextVector: Bool)
    /// Whether a child has rows.
    case presence(childAlias: String, isNegated: Bool)
    case junction(LogicTree.Junction, isNegated: Bool, [Condition])
  }

  /// How columns are qualified in the node's own query.
  var qualifier: String {
    switch (source, link?.kind) {
    case (.changedRows, _): SQLBuilder.quoted(relation.name)
    case (.relation, nil): "\(SQLBuilder.quoted(relation.schema)).\(SQLBuilder.quoted(relation.name))"
    case (.relation, .computed(let function, _)?): SQLBuilder.quoted("\(function.name)_\(depth)")
    case (.relation, _?): SQLBuilder.quoted("\(relation.name)_\(depth)")
    }
  }

  /// How the whole row is named.
  var rowName: String { link == nil ? SQLBuilder.quoted(relation.name) : qualifier }

  /// Whether nothing of the node, nor of what is embedded in it, goes into the answer.
  var isInvisible: Bool { columns.isEmpty && children.allSatisfy(\.isInvisible) }

  /// Whether the changed rows have no columns, so that what stands for them in a statement is not shown.
  var isColumnless: Bool {
    guard case .changedRows = source else { return false }
    return known?.columns.isEmpty ?? false
  }

  /// Whether the answer has rows of a list where this node is embedded.
  var isToOne: Bool { link?.isToOne ?? false }

  var hasAggregate: Bool { columns.contains { $0.field.aggregate != nil } }
}

/// How rows of one relation lead to rows of another.
struct Relationship: Equatable, Sendable {
  /// A column on either side of a foreign key.
  struct ColumnPair: Equatable, Sendable, Decodable {
    var column: String
    var foreignColumn: String

    var reversed: ColumnPair { ColumnPair(column: foreignColumn, foreignColumn: column) }
  }

  /// The table between both sides of a many-to-many relationship.
  struct Junction: Equatable, Sendable {
    var table: QualifiedName
    var constraint: String
    var foreignConstraint: String
    /// Columns of the relation and of the junction.
    var pairs: [ColumnPair]
    /// Columns of the foreign relation and of the junction.
    var foreignPairs: [ColumnPair]
  }

  enum Kind: Equatable, Sendable {
    case oneToMany(constraint: String, [ColumnPair])
    case manyToOne(constraint: String, [ColumnPair])
    case oneToOne(constraint: String, [ColumnPair])
    case manyToMany(Junction)
    /// A function of the relation's row.
    case computed(function: QualifiedName, isToOne: Bool)
  }

  var relation: QualifiedName
  var foreign: QualifiedName
  var kind: Kind
  var isView = false
  var isForeignView = false

  var isSelf: Bool { relation == foreign }

  /// Whether there is at most one row on the other side.
  var isToOne: Bool {
    switch kind {
    case .manyToOne, .oneToOne, .computed(_, isToOne: true): true
    case .oneToMany, .manyToMany, .computed: false
    }
  }

  /// The foreign key and its columns, where there is just one key.
  var key: (constraint: String, pairs: [ColumnPair])? {
    switch kind {
    case .oneToMany(let constraint, let pairs), .manyToOne(let constraint, let pairs),
      .oneToOne(let constraint, let pairs):
      (constraint, pairs)
    case .manyToMany, .computed: nil
    }
  }

  /// The same relationship from the other side.
  var reversed: Relationship? {
    let kind: Kind
    switch self.kind {
    case .manyToOne(let constraint, let pairs): kind = .oneToMany(constraint: constraint, pairs.map(\.reversed))
    case .oneToOne(let constraint, let pairs): kind = .oneToOne(constraint: constraint, pairs.map(\.reversed))
    case .oneToMany, .manyToMany, .computed: return nil
    }
    return Relationship(
      relation: foreign, foreign: relation, kind: kind, isView: isForeignView, isForeignView: isView)
  }
}

extension Relationship {
  /// The order in which ambiguous relationships are listed.
  static func precedes(_ left: Relationship, _ right: Relationship) -> Bool {
    let (left, right) = (left.sortKey, right.sortKey)
    return left.lexicographicallyPrecedes(right)
  }

  private var sortKey: [String] {
    let own: [String]
    switch kind {
    case .oneToMany(let constraint, _): own = ["1", constraint]
    case .manyToOne(let constraint, _): own = ["2", constraint]
    case .oneToOne(let constraint, _): own = ["3", constraint]
    case .manyToMany(let junction): own = ["4", junction.table.name, junction.constraint, junction.foreignConstraint]
    case .computed(let function, _): own = ["0", function.name]
    }
    return [foreign.schema, foreign.name] + own
  }
}

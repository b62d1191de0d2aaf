/// Finds out how the exposed relations are related: by foreign keys, through views of tables that have them, through
/// junction tables, and by functions.
struct RelationshipBuilder {
  private(set) var relationships: [QualifiedName: [Relationship]] = [:]

  init(_ contents: CatalogContents, keys: ViewKeys, schemas: [String]) {
    var direct: [Relationship] = []
    for key in contents.foreignKeys {
      direct += Self.relationships(of: key, keys)
    }
    let primaryKeys = Self.primaryKeys(contents, keys)
    let all = direct + Self.manyToMany(direct, primaryKeys) + direct.compactMap(\.reversed)
    var found: [QualifiedName: [QualifiedName: [Relationship]]] = [:]
    for relationship in all where schemas.contains(relationship.relation.schema) {
      guard schemas.contains(relationship.foreign.schema) else { continue }
      // A relation that leads nowhere but through hidden tables is known all the same, for hints.
      found[relationship.relation, default: [:]][relationship.foreign, default: []] +=
        Self.isReachable(relationship, schemas) ? [relationship] : []
    }
    // A function of the row wins over foreign keys that lead to the relation of its name.
    for computed in contents.computedRelationships where schemas.contains(computed.relationSchema) {
      let relation = QualifiedName(computed.relationSchema, computed.relationName)
      let function = QualifiedName(computed.schema, computed.name)
      found[relation, default: [:]][function] = [
        Relationship(
          relation: relation, foreign: QualifiedName(computed.foreignSchema, computed.foreignName),
          kind: .computed(function: function, isToOne: computed.isToOne))
      ]
    }
    relationships = found.mapValues { $0.values.flatMap(\.self).sorted(by: Relationship.precedes) }
  }

  private static func isReachable(_ relationship: Relationship, _ schemas: [String]) -> Bool {
    guard case .manyToMany(let junction) = relationship.kind else { return true }
    return schemas.contains(junction.table.schema)
  }

  /// A foreign key between its tables, and between them and the views that show its columns.
  private static func relationships(of key: CatalogContents.ForeignKey, _ keys: ViewKeys) -> [Relationship] {
    struct Side {
      var name: QualifiedName
      var columns: [String]
      var isView: Bool
    }
    func sides(_ table: QualifiedName, _ columns: [String], _ exposures: [ViewKeys.Exposure]) -> [Side] {
      [Side(name: table, columns: columns, isView: false)]
        + exposures.flatMap { exposure in
          exposure.choices.map { Side(name: exposure.view, columns: $0, isView: true) }
        }
    }
    let near = sides(
      QualifiedName(key.schema, key.table), key.pairs.map(\.column), keys.exposures(ofForeignKey: key.id, as: .foreign))
    let far = sides(
      QualifiedName(key.foreignSchema, key.foreignTable), key.pairs.map(\.foreignColumn),
      keys.exposures(ofForeignKey: key.id, as: .referenced))
    return near.flatMap { near in
      far.map { far in
        let pairs = zip(near.columns, far.columns).map { Relationship.ColumnPair(column: $0, foreignColumn: $1) }
        return Relationship(
          relation: near.name, foreign: far.name,
          kind: key.isUnique
            ? .oneToOne(constraint: key.constraint, pairs) : .manyToOne(constraint: key.constraint, pairs),
          isView: near.isView, isForeignView: far.isView)
      }
    }
  }

  /// Two foreign keys of one table that are part of its primary key relate the tables that they lead to.
  private static func manyToMany(
    _ direct: [Relationship], _ primaryKeys: [QualifiedName: Set<String>]
  ) -> [Relationship] {
    var byTable: [QualifiedName: [(target: Relationship, constraint: String, pairs: [Relationship.ColumnPair])]] = [:]
    for relationship in direct {
      guard case .manyToOne(let constraint, let pairs) = relationship.kind else { continue }
      guard let key = primaryKeys[relationship.relation], pairs.allSatisfy({ key.contains($0.column) }) else {
        continue
      }
      byTable[relationship.relation, default: []].append((relationship, constraint, pairs))
    }
    return byTable.flatMap { table, keys in
      keys.flatMap { first in
        keys.compactMap { second in
          guard first.constraint != second.constraint else { return nil }
          return Relationship(
            relation: first.target.foreign, foreign: second.target.foreign,
            kind: .manyToMany(
              .init(
                table: table, constraint: first.constraint, foreignConstraint: second.constraint,
                pairs: first.pairs.map(\.reversed), foreignPairs: second.pairs.map(\.reversed))),
            isView: first.target.isForeignView, isForeignView: second.target.isForeignView)
        }
      }
    }
  }

  private static func primaryKeys(
    _ contents: CatalogContents, _ keys: ViewKeys
  ) -> [QualifiedName: Set<String>] {
    var primaryKeys: [QualifiedName: Set<String>] = [:]
    for column in contents.keys where column.role == .primary {
      primaryKeys[QualifiedName(column.schema, column.name), default: []].insert(column.columnName)
    }
    for relation in contents.relations where relation.isView {
      let columns = keys.primaryKey(of: relation.qualifiedName)
      if !columns.isEmpty { primaryKeys[relation.qualifiedName] = Set(columns) }
    }
    return primaryKeys
  }
}

/// What the queries of `CatalogQuery` return, as they return it.
struct CatalogContents: Sendable, Decodable {
  struct ForeignKey: Sendable, Decodable {
    var id: UInt32
    var schema: String
    var table: String
    var foreignSchema: String
    var foreignTable: String
    var constraint: String
    var pairs: [Relationship.ColumnPair]
    /// Whether its columns are a key of their own table.
    var isUnique: Bool
  }

  struct ComputedRelationship: Sendable, Decodable {
    var schema: String
    var name: String
    var relationSchema: String
    var relationName: String
    var foreignSchema: String
    var foreignName: String
    var isToOne: Bool
  }

  /// One column of a primary or foreign key, on the referencing or the referenced side.
  struct KeyColumn: Sendable, Decodable {
    enum Role: String, Sendable, Decodable {
      case primary = "p"
      case foreign = "f"
      case referenced = "r"
    }

    /// The constraint's.
    var id: UInt32
    var role: Role
    var table: UInt32
    var schema: String
    var name: String
    var column: Int
    var columnName: String
  }

  /// A function of a relation's row, which is used like a column.
  struct ComputedColumn: Sendable, Decodable {
    var schema: String
    var relation: String
    var name: String
    var type: String
  }

  /// A domain and the type that it restricts.
  struct Domain: Sendable, Decodable {
    var name: String
    var base: String
  }

  struct RoleSetting: Sendable, Decodable {
    var role: String
    var name: String
    var value: String
  }

  var relations: [Relation]
  var foreignKeys: [ForeignKey]
  var computedRelationships: [ComputedRelationship]
  var keys: [KeyColumn]
  var routines: [Routine]
  var mediaHandlers: [CustomMediaHandler]
  var representations: [Representation]
  var computedColumns: [ComputedColumn]
  var domains: [Domain]
  var roleSettings: [RoleSetting]
  var leftovers: [Leftover]
}

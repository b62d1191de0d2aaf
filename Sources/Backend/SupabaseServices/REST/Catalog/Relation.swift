/// A table or view as the service knows it.
struct Relation: Equatable, Sendable, Decodable {
  struct Column: Equatable, Sendable, Decodable {
    var name: String
    /// The type as SQL writes it: `character varying(80)`.
    var type: String
    /// The expression that fills the column when nothing is given.
    var defaultValue: String?
    var isNullable: Bool
    var maximumLength: Int?
    var comment: String?
    /// The labels of an enumerated type.
    var labels: [String]?
  }

  var schema: String
  var name: String
  var comment: String?
  var isView: Bool
  var isInsertable: Bool
  var isUpdatable: Bool
  var isDeletable: Bool
  /// The columns of the primary key; a view has those of the table that it shows.
  var primaryKey: [String]
  var columns: [Column]
  /// Changes when the name goes to another relation, and when a column comes, goes, or changes its name or type.
  var signature: String

  var qualifiedName: QualifiedName { QualifiedName(schema, name) }

  func column(_ name: String) -> Column? { columns.first { $0.name.utf8.elementsEqual(name.utf8) } }
}

/// What the service must know of a table or view to write to it.
struct Relation: Equatable, Sendable {
  struct Column: Equatable, Sendable {
    var name: String
    /// The type as SQL writes it: `character varying(80)`.
    var type: String
    var isPrimaryKey: Bool
  }

  var schema: String
  var name: String
  var columns: [Column]
  /// Changes when the name goes to another relation, and when a column comes, goes, or changes its name or type.
  var signature = ""

  func column(_ name: String) -> Column? { columns.first { $0.name.utf8.elementsEqual(name.utf8) } }
}

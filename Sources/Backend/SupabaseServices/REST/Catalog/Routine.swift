/// A function that can be called.
struct Routine: Equatable, Sendable, Decodable {
  struct Parameter: Equatable, Sendable, Decodable {
    /// Empty for an unnamed one.
    var name: String
    /// The type as SQL writes it.
    var type: String
    var isRequired: Bool
    var isVariadic: Bool

    /// The type to convert an argument to: types whose bare name means a length of one take any length.
    var unboundedType: String {
      switch type {
      case "bit": "bit varying"
      case "bit[]": "bit varying[]"
      case "character": "character varying"
      case "character[]": "character varying[]"
      default: type
      }
    }
  }

  struct Setting: Equatable, Sendable, Decodable {
    var name: String
    var value: String
  }

  enum Volatility: String, Sendable, Decodable {
    case immutable = "i"
    case stable = "s"
    case volatile = "v"
  }

  /// PostgreSQL's number of it.
  var id: UInt32
  var schema: String
  var name: String
  var comment: String?
  var parameters: [Parameter]
  /// Schema and name of the base type or relation that is returned.
  var resultSchema: String
  var resultName: String
  var returnsSet: Bool
  var returnsComposite: Bool
  var volatility: Volatility
  var isolationLevel: String?
  var settings: [Setting]

  var qualifiedName: QualifiedName { QualifiedName(schema, name) }
  var resultType: QualifiedName { QualifiedName(resultSchema, resultName) }

  var returnsVoid: Bool { resultType == QualifiedName("pg_catalog", "void") && !returnsSet }
  var returnsScalar: Bool { !returnsSet && !returnsComposite }
  var returnsSetOfScalars: Bool { returnsSet && !returnsComposite }
  var returnsSingleComposite: Bool { !returnsSet && returnsComposite }
  var returnsSingle: Bool { !returnsSet }

  /// Whose media type handlers and relationships count: the relation's whose rows are returned, or the function's own.
  var rowsOf: QualifiedName {
    QualifiedName(schema, returnsComposite && resultType != QualifiedName("pg_catalog", "record") ? resultName : name)
  }
}

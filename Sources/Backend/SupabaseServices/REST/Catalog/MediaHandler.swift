/// What the database has to turn rows into a body of one media type.
enum MediaHandler: Equatable, Sendable {
  /// An aggregate of the database, or the type that a function returns.
  ///
  /// - Parameters:
  ///   - row: the type of the rows that it takes; nil for any.
  ///   - isBinary: it gives bytes, which PostgreSQL writes as hexadecimal digits.
  case function(QualifiedName, row: QualifiedName?, isBinary: Bool)
}

/// A handler that the database offers.
struct CustomMediaHandler: Equatable, Sendable, Decodable {
  var schema: String
  var name: String
  /// The relation or function that it is for; `pg_catalog.anyelement` is for all.
  var targetSchema: String
  var targetName: String
  var mediaType: String
  /// What its answers are called; something plainer for `*/*`.
  var answerType: String
  var isBinary: Bool

  var isForAll: Bool { targetName == "anyelement" && targetSchema == "pg_catalog" }
}

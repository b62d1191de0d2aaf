/// Finds the relationship that an embedded relation means.
struct RelationshipFinder {
  private let catalog: Catalog
  private let schema: String

  init(_ catalog: Catalog, schema: String) {
    self.catalog = catalog
    self.schema = schema
  }

  /// - Parameters:
  ///   - target: a relation, a foreign key, its column, or a function of the row.
  ///   - hint: what tells several relationships apart: a foreign key, one of its columns, or a junction.
  func relationship(from origin: QualifiedName, to target: String, hint: String?) throws(RESTError) -> Relationship {
    let origin = QualifiedName(schema, origin.name)
    let known = catalog.relationships[origin] ?? []
    let fitting = known.filter { Self.fits($0, target, hint) }
    guard let first = fitting.first else { throw notFound(origin, target, hint, known) }
    guard fitting.count == 1 else { throw Self.ambiguous(origin, target, fitting) }
    return first
  }

  private static func fits(_ relationship: Relationship, _ target: String, _ hint: String?) -> Bool {
    if case .computed(let function, _) = relationship.kind { return function.name == target }
    let isNamed = relationship.foreign.name == target
    let key = relationship.key
    let column = key.flatMap { $0.pairs.count == 1 ? $0.pairs[0] : nil }
    if relationship.isSelf {
      // One foreign key is two relationships of a relation with itself: the children come under the relation's name,
      // the parent under the column's.
      switch (relationship.kind, hint) {
      case (.oneToMany, nil): return isNamed
      case (.manyToOne, nil): return column?.column == target
      case (.oneToMany, let hint?): return isNamed && column?.foreignColumn == hint
      default: return false
      }
    }
    guard let hint else {
      return isNamed || !relationship.isForeignView && (key?.constraint == target || column?.column == target)
    }
    if case .manyToMany(let junction) = relationship.kind { return isNamed && junction.table.name == hint }
    return isNamed && (key?.constraint == hint || column?.column == hint || column?.foreignColumn == hint)
  }

  private func notFound(
    _ origin: QualifiedName, _ target: String, _ hint: String?, _ known: [Relationship]
  ) -> RESTError {
    var suggestion: String?
    if catalog.relationships[origin] == nil {
      let origins = catalog.relationships.keys.filter { $0.schema == schema }.map(\.name)
      suggestion = Suggestion.best(origin.name, among: origins, minimumScore: Suggestion.lowestScore)
        .map { "Perhaps you meant '\($0)' instead of '\(origin.name)'." }
    } else {
      let targets = Set(known.map(\.foreign.name)).sorted()
      suggestion = Suggestion.ranked(target, among: targets).first { $0.score < 1 }
        .map { "Perhaps you meant '\($0.name)' instead of '\(target)'." }
    }
    return RESTError(
      status: 400, code: "PGRST200",
      message:
        "Could not find a relationship between '\(origin.name)' and '\(target)' in the schema cache",
      details: "Searched for a foreign key relationship between '\(origin.name)' and '\(target)"
        + (hint.map { "' using the hint '\($0)" } ?? "") + "' in the schema '\(schema)', but no matches were found.",
      hint: suggestion)
  }

  private static func ambiguous(
    _ origin: QualifiedName, _ target: String, _ relationships: [Relationship]
  ) -> RESTError {
    let hints = relationships.map { "'\($0.foreign.name)!\($0.distinguishingName)'" }.joined(separator: ", ")
    var error = RESTError(
      status: 300, code: "PGRST201",
      message:
        "Could not embed because more than one relationship was found for '\(origin.name)' and '\(target)'",
      hint: "Try changing '\(target)' to one of the following: \(hints). "
        + "Find the desired relationship in the 'details' key.")
    let descriptions = relationships.map { relationship in
      var writer = JSONWriter()
      writer.object([
        ("cardinality", relationship.cardinality),
        ("embedding", "\(relationship.relation.name) with \(relationship.foreign.name)"),
        ("relationship", relationship.path),
      ])
      return writer.text
    }
    error.details = .json("[\(descriptions.joined(separator: ","))]")
    return error
  }
}

extension Relationship {
  fileprivate var cardinality: String {
    switch kind {
    case .oneToMany: "one-to-many"
    case .manyToOne: "many-to-one"
    case .oneToOne: "one-to-one"
    case .manyToMany: "many-to-many"
    case .computed: "computed"
    }
  }

  /// What a hint would name.
  fileprivate var distinguishingName: String {
    switch kind {
    case .manyToMany(let junction): junction.table.name
    case .computed(let function, _): function.name
    case .oneToMany(let constraint, _), .manyToOne(let constraint, _), .oneToOne(let constraint, _): constraint
    }
  }

  /// The foreign keys, as in `orders_client_fkey using orders(client) and clients(id)`.
  fileprivate var path: String {
    func list(_ columns: [String]) -> String { "(\(columns.joined(separator: ", ")))" }
    if case .manyToMany(let junction) = kind {
      return "\(junction.table.name) using \(junction.constraint)\(list(junction.pairs.map(\.foreignColumn)))"
        + " and \(junction.foreignConstraint)\(list(junction.foreignPairs.map(\.foreignColumn)))"
    }
    guard let (constraint, pairs) = key else { return distinguishingName }
    return "\(constraint) using \(relation.name)\(list(pairs.map(\.column)))"
      + " and \(foreign.name)\(list(pairs.map(\.foreignColumn)))"
  }
}

/// Picks the function that a call means, by its name and the names of the arguments.
struct RoutineFinder {
  private let catalog: Catalog
  private let name: QualifiedName
  private let arguments: [String]
  /// The type of the body, where there is one.
  private let body: MediaType?

  init(_ catalog: Catalog, _ name: QualifiedName, arguments: [String], body: MediaType?) {
    self.catalog = catalog
    self.name = name
    self.arguments = Set(arguments).sorted()
    self.body = body
  }

  func routine() throws(RESTError) -> Routine {
    let known = catalog.routines[name] ?? []
    let fitting = known.filter(fits)
    if let first = fitting.first {
      guard fitting.count == 1 else { throw ambiguous(fitting) }
      return first
    }
    let single = known.filter(takesWholeBody)
    guard let first = single.first else { throw notFound(known) }
    guard single.count == 1 else { throw ambiguous(single) }
    return first
  }

  private var isRawBody: Bool {
    switch body {
    case .other("text/plain")?, .other("text/xml")?, .other("application/octet-stream")?: true
    default: false
    }
  }

  private func fits(_ routine: Routine) -> Bool {
    if routine.parameters.isEmpty { return arguments.isEmpty && !isRawBody }
    let given = Set(arguments)
    let required = Set(routine.parameters.filter(\.isRequired).map(\.name))
    let optional = Set(routine.parameters.filter { !$0.isRequired }.map(\.name))
    // A variadic one may have no value at all, which PostgreSQL does not count as a default.
    return required.isEmpty ? given.isSubset(of: optional) : given.subtracting(optional) == required
  }

  /// Whether the function has one unnamed parameter of a type that the body can be.
  private func takesWholeBody(_ routine: Routine) -> Bool {
    guard let body, routine.parameters.count == 1, let only = routine.parameters.first, only.name.isEmpty else {
      return false
    }
    switch (body, only.type) {
    case (.json, "json"), (.json, "jsonb"), (.other("text/plain"), "text"), (.other("text/xml"), "xml"),
      (.other("application/octet-stream"), "bytea"):
      return true
    default: return false
    }
  }

  private func ambiguous(_ routines: [Routine]) -> RESTError {
    let signatures = routines.map { routine in
      let parameters = routine.parameters.map { "\($0.name) => \($0.type)" }.joined(separator: ", ")
      return "\(routine.schema).\(routine.name)(\(parameters))"
    }
    return RESTError(
      status: 300, code: "PGRST203",
      message: "Could not choose the best candidate function between: \(signatures.joined(separator: ", "))",
      hint: "Try renaming the parameters or the function itself in the database so function overloading can be resolved"
    )
  }

  private func notFound(_ known: [Routine]) -> RESTError {
    let function = "\(name.schema).\(name.name)"
    let list = arguments.joined(separator: ", ")
    let without = arguments.isEmpty ? " without parameters" : nil
    let parameters = without ?? " with parameter\(arguments.count > 1 ? "s" : "") \(list)"
    let searched: String
    switch body {
    case .other("text/plain")?: searched = " with a single unnamed text parameter"
    case .other("text/xml")?: searched = " with a single unnamed xml parameter"
    case .other("application/octet-stream")?: searched = " with a single unnamed bytea parameter"
    case .json?: searched = parameters + " or with a single unnamed json/jsonb parameter"
    default: searched = parameters
    }
    return RESTError(
      status: 404, code: "PGRST202",
      message: "Could not find the function \(function)\(isRawBody ? "" : without ?? "(\(list))") in the schema cache",
      details: "Searched for the function \(function)\(searched), but no matches were found in the schema cache.",
      hint: isRawBody ? nil : suggestion(known).map { "Perhaps you meant to call the function \(name.schema).\($0)" })
  }

  private func suggestion(_ known: [Routine]) -> String? {
    guard !known.isEmpty else {
      let names = catalog.routines.keys.filter { $0.schema == name.schema }.map(\.name).sorted()
      return Suggestion.best(name.name, among: names, minimumScore: Suggestion.nameScore)
    }
    func list(_ names: [String]) -> String { "(\(names.sorted().joined(separator: ", ")))" }
    let lists = known.map { list($0.parameters.map(\.name)) }
    return Suggestion.best(list(arguments), among: lists, minimumScore: Suggestion.lowestScore)
      .map { name.name + $0 }
  }
}

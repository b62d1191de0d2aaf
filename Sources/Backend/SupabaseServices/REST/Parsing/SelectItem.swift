/// One entry of `select=`: a column, perhaps renamed and cast, or all columns.
enum SelectItem: Equatable {
  case all
  case column(name: String, alias: String?, cast: String?)
}

extension SelectItem {
  /// Reads `select=*,id,label:name,price::text`. An empty list selects nothing.
  static func list(_ value: String) throws(RESTError) -> [SelectItem] {
    guard !value.isEmpty else { return [] }
    var scanner = ParameterScanner(value, subject: "select parameter")
    var items: [SelectItem] = []
    repeat { items.append(try item(&scanner)) } while scanner.skip(",")
    try scanner.expectEnd(or: "\",\", \":\", \"::\"")
    return items
  }

  /// A column's name, unless what follows makes it something else.
  private static func columnName(_ scanner: inout ParameterScanner) throws(RESTError) -> String {
    let name = try scanner.columnName()
    if scanner.begins(with: "(") || scanner.begins(with: "!") { throw .notYet("Embedding or aggregating in select") }
    if scanner.begins(with: ".") { throw .notYet("Aggregating in select") }
    // A dash may stand in a name, so the arrow's is taken already.
    if scanner.begins(with: ">") || scanner.begins(with: "->") { throw .notYet("A JSON path in select") }
    return name
  }

  private static func item(_ scanner: inout ParameterScanner) throws(RESTError) -> SelectItem {
    if scanner.skip("*") { return .all }
    if scanner.begins(with: "...") { throw .notYet("Spreading an embedded table in select") }
    let first = try columnName(&scanner)
    var name = first
    var alias: String?
    if !scanner.begins(with: "::"), scanner.skip(":") {
      alias = first
      name = try columnName(&scanner)
    }
    var cast: String?
    if scanner.skip("::") {
      // A type's name, inserted as SQL: nothing but a plain name passes.
      let type = scanner.take {
        $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" || $0 == " ")
      }
      guard !type.isEmpty else { throw scanner.failure(expecting: "a type's name") }
      cast = String(type) + (scanner.skip("[]") ? "[]" : "")
    }
    return .column(name: name, alias: alias, cast: cast)
  }
}

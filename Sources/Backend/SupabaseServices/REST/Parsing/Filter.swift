/// One condition on a column: `age=not.gte.18`.
struct Filter: Equatable {
  enum Comparison: String, CaseIterable {
    case equal = "eq"
    case notEqual = "neq"
    case greaterOrEqual = "gte"
    case greater = "gt"
    case lessOrEqual = "lte"
    case less = "lt"

    var sqlOperator: String {
      switch self {
      case .equal: "="
      case .notEqual: "<>"
      case .greaterOrEqual: ">="
      case .greater: ">"
      case .lessOrEqual: "<="
      case .less: "<"
      }
    }
  }

  enum Constant: String, CaseIterable {
    case notNull = "not_null"
    case null, `true`, `false`, unknown
  }

  enum Condition: Equatable {
    case comparison(Comparison, String)
    case inList([String])
    case `is`(Constant)
  }

  var column: String
  var isNegated: Bool
  var condition: Condition
}

extension Filter {
  /// Reads `value` as `[not.]operator.operand`.
  ///
  /// - Parameter column: the parameter's name: the column as it is or, with anything in it, in double quotes.
  init(column: String, value: String) throws(RESTError) {
    self.column = try Self.columnName(column)
    var scanner = ParameterScanner(value, subject: "filter")
    isNegated = scanner.skip("not.")
    condition = try Self.condition(&scanner, isNegated: isNegated)
  }

  private static func columnName(_ parameter: String) throws(RESTError) -> String {
    let jsonPath = "->"
    guard parameter.unicodeScalars.first == "\"" else {
      if parameter.contains(jsonPath) { throw .notYet("A JSON path in a filter") }
      return parameter
    }
    var scanner = ParameterScanner(parameter, subject: "filter column")
    let name = try scanner.quoted()
    if scanner.begins(with: jsonPath) { throw .notYet("A JSON path in a filter") }
    guard scanner.isAtEnd else { throw scanner.failure(expecting: "end of input") }
    return name
  }

  private static let laterOperators = [
    "like", "ilike", "match", "imatch", "isdistinct", "cs", "cd", "ov", "sl", "sr", "nxl", "nxr", "adj", "fts", "plfts",
    "phfts", "wfts", "eq", "gt", "gte", "lt", "lte", "neq",
  ]

  private static func condition(_ scanner: inout ParameterScanner, isNegated: Bool) throws(RESTError) -> Condition {
    for comparison in Comparison.allCases where scanner.skip(comparison.rawValue + ".") {
      return .comparison(comparison, scanner.takeRest())
    }
    if scanner.skip("in.") { return .inList(try list(&scanner)) }
    if scanner.skip("is.") { return .is(try constant(&scanner)) }
    if laterOperators.contains(where: { scanner.begins(with: $0 + ".") || scanner.begins(with: $0 + "(") }) {
      throw .notYet("The filter \(scanner.input.prefix { $0 != "." && $0 != "(" })")
    }
    throw scanner.failure(expecting: isNegated ? "operator (eq, gt, ...)" : "\"not\" or operator (eq, gt, ...)")
  }

  private static func constant(_ scanner: inout ParameterScanner) throws(RESTError) -> Constant {
    guard let constant = Constant(rawValue: scanner.rest.lowercased()) else {
      throw scanner.failure(expecting: "isVal: (null, not_null, true, false, unknown)")
    }
    return constant
  }

  /// `(a,"b,c",d)`; `()` is the empty list.
  private static func list(_ scanner: inout ParameterScanner) throws(RESTError) -> [String] {
    guard scanner.skip("(") else { throw scanner.failure(expecting: "\"(\"") }
    var elements: [String] = []
    if !scanner.skip(")") {
      repeat {
        let element =
          scanner.next == "\"" ? try scanner.quoted() : String(scanner.take { $0 != "," && $0 != ")" })
        elements.append(element)
      } while scanner.skip(",")
      guard scanner.skip(")") else { throw scanner.failure(expecting: "\",\" or \")\"") }
    }
    try scanner.expectEnd(or: "\")\"")
    return elements
  }
}

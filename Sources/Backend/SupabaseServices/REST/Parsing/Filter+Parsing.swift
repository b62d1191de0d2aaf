extension Filter {
  private enum Operator {
    case comparison(Comparison, Quantifier?)
    case set(SetComparison)
    case list, constant, distinct
    case search(TextSearch, String?)
  }

  /// Reads a parameter: a path through embedded relations to a field, and what it is held against.
  static func parameter(
    name: String, value: String
  ) throws(RESTError) -> (embeds: [String], filter: Filter) {
    let (names, steps) = try ParameterScanner.parse(name, as: "tree path") { scanner throws(ParameterScanner.Failure) in
      var names = [try scanner.fieldName()]
      while scanner.skip(".", as: "delimiter (.)") { names.append(try scanner.fieldName()) }
      return (names, try scanner.jsonPath())
    }
    let (isNegated, condition) = try ParameterScanner.parse(value, as: "filter") {
      scanner throws(ParameterScanner.Failure) in
      try operation(&scanner) { $0.takeRest() }
    }
    let path = FieldPath(name: names.last ?? name, steps: steps)
    return (Array(names.dropLast()), Filter(path: path, isNegated: isNegated, condition: condition))
  }

  /// `not.operator.operand`
  static func operation(
    _ scanner: inout ParameterScanner, operand: (inout ParameterScanner) -> String
  ) throws(ParameterScanner.Failure) -> (isNegated: Bool, Condition) {
    let negation: Void? = scanner.attempt {
      (scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> Void in
      try scanner.expect("not")
      try scanner.expect(".", as: "delimiter (.)")
    }
    let isNegated = negation != nil
    if isNegated { scanner.commit() }
    let found = try scanner.labeled("operator (eq, gt, ...)") {
      (scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> Operator? in
      guard let name = try operatorName(&scanner), scanner.skip(".") else { return nil }
      return name
    }
    scanner.commit()
    let condition: Condition =
      switch found {
      case .comparison(let comparison, let quantifier): .comparison(comparison, quantifier, operand(&scanner))
      case .set(let comparison): .setComparison(comparison, operand(&scanner))
      case .list: .inList(try list(&scanner))
      case .constant: .is(try constant(&scanner))
      case .distinct: .isDistinctFrom(operand(&scanner))
      case .search(let search, let language): .textSearch(search, language: language, operand(&scanner))
      }
    return (isNegated, condition)
  }

  private static func operatorName(
    _ scanner: inout ParameterScanner
  ) throws(ParameterScanner.Failure) -> Operator? {
    let word = String(scanner.take { $0 >= "a" && $0 <= "z" })
    switch word {
    case "in": return .list
    case "is": return .constant
    case "isdistinct": return .distinct
    default: break
    }
    if let comparison = Comparison(rawValue: word) { return .comparison(comparison, try quantifier(&scanner)) }
    if let search = TextSearch(rawValue: word) { return .search(search, try language(&scanner)) }
    return SetComparison(rawValue: word).map(Operator.set)
  }

  private static func quantifier(
    _ scanner: inout ParameterScanner
  ) throws(ParameterScanner.Failure) -> Quantifier? {
    guard scanner.next == "(" else { return nil }
    return scanner.attempt { scanner throws(ParameterScanner.Failure) in
      _ = scanner.skip("(")
      let quantifier: Quantifier = scanner.skip(Quantifier.any.rawValue) ? .any : .all
      if quantifier == .all { try scanner.expect(Quantifier.all.rawValue) }
      try scanner.expect(")")
      return quantifier
    }
  }

  private static func language(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> String? {
    guard scanner.next == "(" else { return nil }
    return scanner.attempt { scanner throws(ParameterScanner.Failure) in
      _ = scanner.skip("(")
      let name = try scanner.identifier()
      try scanner.expect(")")
      return name
    }
  }

  private static func constant(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> Constant {
    try scanner.labeled("isVal: (null, not_null, true, false, unknown)") {
      (scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> Constant? in
      let start = scanner
      let word = String(scanner.take { $0.properties.isAlphabetic || $0 == "_" }).lowercased()
      if let constant = Constant.allCases.first(where: { word.hasPrefix($0.rawValue) }) { return constant }
      scanner = start
      scanner.expected("")
      return nil
    }
  }

  /// `(a,"b,c",d)`
  private static func list(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> [String] {
    scanner.skipSpaces()
    try scanner.expect("(")
    scanner.skipSpaces()
    var elements: [String] = []
    repeat { elements.append(scanner.element()) } while scanner.skip(",")
    scanner.skipSpaces()
    try scanner.expect(")")
    scanner.skipSpaces()
    return elements
  }
}

extension ParameterScanner {
  /// A quoted text, or what stands before the next comma or closing parenthesis.
  fileprivate mutating func element() -> String {
    quotedElement() ?? String(take { $0 != "," && $0 != ")" })
  }

  /// An operand in a logic tree: as an element of a list, or an array in braces.
  mutating func logicOperand() -> String {
    if let quoted = quotedElement() { return quoted }
    if next == "{" {
      let array = attemptSilently { scanner throws(Failure) in
        try scanner.expect("{")
        let elements = scanner.take { $0 != "{" && $0 != "}" }
        try scanner.expect("}")
        return "{\(String(elements))}"
      }
      if let array { return array }
    }
    return String(take { $0 != "," && $0 != ")" })
  }
}

/// Conditions joined by `and` and `or`.
indirect enum LogicTree: Equatable, Sendable {
  enum Junction: String, Sendable { case and, or }

  case filter(Filter)
  case junction(Junction, isNegated: Bool, [LogicTree])
}

extension LogicTree {
  private typealias Failure = ParameterScanner.Failure

  /// Reads a parameter whose name ends in `and` or `or`: `tasks.not.or=(id.eq.1,and(id.gt.2,done.is.true))`.
  static func parameter(name: String, value: String) throws(RESTError) -> (embeds: [String], tree: LogicTree) {
    let names = try ParameterScanner.parse(name, as: "logic path") { scanner throws(ParameterScanner.Failure) in
      var names = [try scanner.fieldName()]
      while scanner.skip(".", as: "delimiter (.)") { names.append(try scanner.fieldName()) }
      return names
    }
    let isNegated = names.contains("not")
    let junction = names.last ?? name
    // The same grammar as inside of the parentheses.
    let text = (isNegated ? "not." : "") + junction + value
    do throws(RESTError) {
      let tree = try ParameterScanner.parse(text, as: "logic tree") {
        (scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> LogicTree in
        try Self.tree(&scanner)
      }
      return (names.dropLast().filter { $0 != "not" }, tree)
    } catch {
      var error = error
      error.message = error.message.replacing("(\(text))", with: "(\(value))", maxReplacements: 1)
      throw error
    }
  }

  private static func tree(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> LogicTree {
    scanner.skipSpaces()
    let filter = scanner.attempt { scanner throws(ParameterScanner.Failure) in
      let path = try scanner.fieldPath()
      try scanner.expect(".", as: "delimiter (.)")
      let (isNegated, condition) = try Filter.operation(&scanner) { $0.logicOperand() }
      return Filter(path: path, isNegated: isNegated, condition: condition)
    }
    if let filter { return .filter(filter) }
    let isNegated = scanner.begins(with: "not.")
    if isNegated {
      _ = scanner.skip("not.")
      scanner.commit()
    } else {
      scanner.expected("negation operator (not)")
    }
    guard scanner.begins(with: "and") || scanner.begins(with: "or") else {
      scanner.expected("logic operator (and, or)")
      throw Failure()
    }
    let junction: Junction = scanner.begins(with: "and") ? .and : .or
    _ = scanner.skip(junction.rawValue)
    scanner.commit()
    scanner.skipSpaces()
    let members = try scanner.nested { scanner throws(ParameterScanner.Failure) in
      var members: [LogicTree] = []
      repeat {
        members.append(try tree(&scanner))
        scanner.skipSpaces()
      } while scanner.skip(",")
      return members
    }
    scanner.skipSpaces()
    return .junction(junction, isNegated: isNegated, members)
  }
}

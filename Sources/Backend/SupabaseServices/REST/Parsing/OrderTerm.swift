/// One entry of `order=`: `due.desc.nullslast`, or `clients(name).asc` for a field of an embedded relation.
struct OrderTerm: Equatable, Sendable {
  enum Direction: String, Sendable { case ascending = "ASC", descending = "DESC" }
  enum Nulls: String, Sendable { case first = "NULLS FIRST", last = "NULLS LAST" }

  /// The embedded relation whose field it is.
  var embed: String?
  var path: FieldPath
  var direction: Direction?
  var nulls: Nulls?
}

extension OrderTerm {
  /// Reads a parameter: a path through embedded relations, and how their rows are ordered.
  static func parameter(name: String, value: String) throws(RESTError) -> (embeds: [String], terms: [OrderTerm]) {
    let embeds = try Self.embeds(name)
    let terms = try ParameterScanner.parse(value, as: "order") { scanner throws(ParameterScanner.Failure) in
      var terms: [OrderTerm] = []
      repeat {
        try scanner.checkCount(terms.count)
        scanner.skipSpaces()
        terms.append(try term(&scanner))
      } while scanner.skip(",")
      return terms
    }
    return (embeds, terms)
  }

  /// The embedded relations before the last word of a parameter's name: `tasks.users.order`.
  static func embeds(_ name: String) throws(RESTError) -> [String] {
    guard name.utf8.contains(UInt8(ascii: ".")) else { return [] }
    return try ParameterScanner.parse(name, as: "tree path") { scanner throws(ParameterScanner.Failure) in
      var names = [try scanner.fieldName()]
      while scanner.skip(".", as: "delimiter (.)") { names.append(try scanner.fieldName()) }
      return names.dropLast()
    }
  }

  private static func term(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> OrderTerm {
    let related = scanner.attemptSilently { scanner throws(ParameterScanner.Failure) in
      let embed = try scanner.fieldName()
      try scanner.expect("(")
      let path = try scanner.fieldPath()
      try scanner.expect(")")
      return try modifiers(&scanner, of: OrderTerm(embed: embed, path: path))
    }
    if let related { return related }
    return try modifiers(&scanner, of: OrderTerm(path: try scanner.fieldPath()))
  }

  private static func modifiers(
    _ scanner: inout ParameterScanner, of term: OrderTerm
  ) throws(ParameterScanner.Failure) -> OrderTerm {
    var term = term
    term.direction = word(&scanner, [("asc", .ascending), ("desc", .descending)])
    term.nulls = word(&scanner, [("nullsfirst", .first), ("nullslast", .last)])
    scanner.skipSpaces()
    if scanner.begins(with: ",") { return term }
    scanner.expected("\",\"")
    guard scanner.end() else { throw ParameterScanner.Failure() }
    return term
  }

  private static func word<Value>(_ scanner: inout ParameterScanner, _ words: [(String, Value)]) -> Value? {
    scanner.attempt { scanner throws(ParameterScanner.Failure) in
      try scanner.expect(".", as: "delimiter (.)")
      for (word, value) in words where scanner.skip(word) { return value }
      throw ParameterScanner.Failure()
    }
  }
}

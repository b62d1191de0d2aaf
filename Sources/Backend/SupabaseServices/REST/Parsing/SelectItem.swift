/// One entry of `select=`.
indirect enum SelectItem: Equatable, Sendable {
  enum Aggregate: String, CaseIterable, Sendable {
    case sum, avg, count, max, min
  }

  enum Join: Equatable, Sendable { case left, inner }

  struct Field: Equatable, Sendable {
    /// `*` stands for all columns.
    var path: FieldPath
    var alias: String?
    var cast: String?
    var aggregate: Aggregate?
    var aggregateCast: String?

    var isStar: Bool { path.name == "*" && path.steps.isEmpty }
  }

  struct Embed: Equatable, Sendable {
    var target: String
    var alias: String?
    var hint: String?
    var join: Join?
    /// Whether its columns become columns of the outer row.
    var isSpread = false
    var items: [SelectItem] = []
  }

  case field(Field)
  case embed(Embed)
}

extension SelectItem {
  static func list(_ value: String) throws(RESTError) -> [SelectItem] {
    try ParameterScanner.parse(value, as: "select parameter") { scanner throws(ParameterScanner.Failure) in
      // What stands behind the last parenthesis is ignored, as PostgREST does.
      try list(&scanner)
    }
  }

  /// Entries with commas between them; none is fine too.
  private static func list(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> [SelectItem] {
    scanner.skipSpaces()
    if scanner.isAtEnd || scanner.next == ")" { return [] }
    var items: [SelectItem] = []
    repeat {
      try scanner.checkCount(items.count)
      scanner.skipSpaces()
      items.append(try item(&scanner))
      scanner.skipSpaces()
    } while scanner.skip(",")
    return items
  }

  private static func item(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) -> SelectItem {
    if scanner.begins(with: "...") {
      _ = scanner.skip("...")
      return .embed(try embed(&scanner, target: try scanner.fieldName(), alias: nil, isSpread: true))
    }
    if scanner.next == "*" {
      _ = scanner.skip("*")
      try end(&scanner)
      return .field(Field(path: FieldPath(name: "*")))
    }
    var name = try scanner.fieldName()
    var alias: String?
    if scanner.next == ":", !scanner.begins(with: "::") {
      _ = scanner.skip(":")
      alias = name
      name = try scanner.fieldName()
    }
    if name == "count", scanner.begins(with: "()") {
      _ = scanner.skip("()")
      let cast = scanner.skip("::") ? try scanner.identifier() : nil
      try end(&scanner)
      return .field(Field(path: FieldPath(name: "*"), alias: alias, aggregate: .count, aggregateCast: cast))
    }
    let isEmbed = scanner.next == "!" || scanner.next == "(" && name != "count"
    if isEmbed { return .embed(try embed(&scanner, target: name, alias: alias, isSpread: false)) }
    scanner.expected("\"!\"")
    scanner.expected("\"(\"")
    return .field(try field(&scanner, name: name, alias: alias))
  }

  private static func field(
    _ scanner: inout ParameterScanner, name: String, alias: String?
  ) throws(ParameterScanner.Failure) -> Field {
    var field = Field(path: FieldPath(name: name, steps: try scanner.jsonPath()), alias: alias)
    scanner.skipSpaces()
    if scanner.skip("::") { field.cast = try scanner.identifier() }
    if scanner.skip(".") {
      guard let aggregate = Aggregate.allCases.first(where: { scanner.begins(with: $0.rawValue) }) else {
        for aggregate in Aggregate.allCases { _ = scanner.skip(aggregate.rawValue) }
        throw ParameterScanner.Failure()
      }
      _ = scanner.skip(aggregate.rawValue)
      try scanner.expect("()")
      field.aggregate = aggregate
      if scanner.skip("::") { field.aggregateCast = try scanner.identifier() }
    }
    try end(&scanner)
    return field
  }

  /// `!hint!inner(items)` behind the name of a relation.
  private static func embed(
    _ scanner: inout ParameterScanner, target: String, alias: String?, isSpread: Bool
  ) throws(ParameterScanner.Failure) -> SelectItem.Embed {
    try scanner.countEmbed()
    var embed = Embed(target: target, alias: alias, isSpread: isSpread)
    for _ in 0..<2 where scanner.skip("!") {
      let word = try scanner.fieldName()
      switch word {
      case "inner": embed.join = embed.join ?? .inner
      case "left": embed.join = embed.join ?? .left
      default: embed.hint = embed.hint ?? word
      }
    }
    embed.items = try scanner.nested { scanner throws(ParameterScanner.Failure) in try list(&scanner) }
    return embed
  }

  private static func end(_ scanner: inout ParameterScanner) throws(ParameterScanner.Failure) {
    scanner.skipSpaces()
    for end in [")", ","] {
      if scanner.begins(with: end) { return }
      scanner.expected("\"\(end)\"")
    }
    guard scanner.end() else { throw ParameterScanner.Failure() }
  }
}

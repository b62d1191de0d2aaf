/// Conditions and fields.
extension SQLBuilder {
  /// A field of the rows that `qualifier` names, and the way into its JSON.
  ///
  /// - Parameter isJSON: the column holds JSON, so it is not converted and an index on it can serve.
  mutating func field(_ path: FieldPath, of qualifier: String, isJSON: Bool) {
    let isConverted = !path.steps.isEmpty && !isJSON
    if isConverted { sql("to_jsonb(") }
    sql(qualifier)
    sql(".")
    if path.name == "*" { sql("*") } else { identifier(path.name) }
    if isConverted { sql(")") }
    for step in path.steps {
      sql(step.isText ? "->>" : "->")
      switch step.operand {
      case .key(let key): bind(key)
      case .index(let index):
        bind(index)
        sql("::int")
      }
    }
  }

  mutating func conditions(_ conditions: [ReadNode.Condition], of qualifier: String) {
    list(conditions, separator: " AND ") { $0.condition($1, of: qualifier) }
  }

  mutating func condition(_ condition: ReadNode.Condition, of qualifier: String) {
    switch condition {
    case .unresolved: break
    case .presence(let alias, let isNegated):
      identifier(alias)
      sql(isNegated ? " IS NOT DISTINCT FROM NULL" : " IS DISTINCT FROM NULL")
    case .junction(let junction, let isNegated, let members):
      sql(isNegated ? "NOT (" : "(")
      list(members, separator: junction == .and ? " AND " : " OR ") { $0.condition($1, of: qualifier) }
      sql(")")
    case .filter(let filter, let representation, let isJSON, let isTextVector):
      self.filter(
        filter, representation: representation, isJSON: isJSON, isTextVector: isTextVector, of: qualifier)
    }
  }

  private mutating func filter(
    _ filter: Filter, representation: String?, isJSON: Bool, isTextVector: Bool, of qualifier: String
  ) {
    sql(filter.isNegated ? "NOT (" : "(")
    defer { sql(")") }
    func bindValue(_ builder: inout SQLBuilder, _ value: String) {
      if let representation { builder.sql("\(representation)(") }
      builder.bind(value)
      if representation != nil { builder.sql(")") }
    }
    if case .textSearch(let search, let language, let words) = filter.condition {
      let isConverted = !isTextVector || !filter.path.steps.isEmpty
      if isConverted {
        sql("to_tsvector(")
        self.language(language)
      }
      field(filter.path, of: qualifier, isJSON: isJSON)
      sql(isConverted ? ") @@ \(search.function)(" : " @@ \(search.function)(")
      self.language(language)
      bind(words)
      return sql(")")
    }
    field(filter.path, of: qualifier, isJSON: isJSON)
    switch filter.condition {
    case .comparison(let comparison, let quantifier, var operand):
      sql(" \(comparison.sql) ")
      let isPattern = comparison == .like || comparison == .ilike
      if isPattern { operand = operand.replacing("*", with: "%") }
      if let quantifier { sql("\(quantifier.rawValue)(") }
      if isPattern { bind(operand) } else { bindValue(&self, operand) }
      if quantifier != nil { sql(")") }
    case .setComparison(let comparison, let operand):
      sql(" \(comparison.sql) ")
      bindValue(&self, operand)
    case .is(let constant): sql(" IS \(constant.sql)")
    case .isDistinctFrom(let operand):
      sql(" IS DISTINCT FROM ")
      bind(operand)
    case .inList([""]): sql(" = ANY('{}')")
    case .inList(let elements):
      sql(" = ANY(")
      if let representation { sql("(SELECT \(representation)(unnest(") }
      bind(Self.arrayLiteral(elements))
      sql(representation == nil ? ")" : "::text[]))))")
    case .textSearch: break
    }
  }

  private mutating func language(_ language: String?) {
    guard let language else { return }
    bind(language)
    sql(", ")
  }

  mutating func order(_ terms: [OrderTerm], of qualifier: String, _ relation: Relation?) {
    sql(" ORDER BY ")
    list(terms) { builder, term in
      let type = term.embed == nil ? relation?.column(term.path.name)?.type : nil
      builder.field(
        term.path, of: term.embed.map(Self.quoted) ?? qualifier, isJSON: type == "json" || type == "jsonb")
      if let direction = term.direction { builder.sql(" \(direction.rawValue)") }
      if let nulls = term.nulls { builder.sql(" \(nulls.rawValue)") }
    }
  }

  mutating func limit(_ range: RowRange) {
    if let limit = range.limit {
      sql(" LIMIT ")
      bind(String(limit))
    }
    if range.offset > 0 {
      sql(" OFFSET ")
      bind(String(range.offset))
    }
  }
}

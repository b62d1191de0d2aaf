internal import SwiftwaterHTTP

/// The clauses that reading and writing share.
extension SQLBuilder {
  mutating func selectList(_ items: [SelectItem], of relation: Relation) {
    list(items) { builder, item in
      switch item {
      case .all:
        builder.relation(relation)
        builder.sql(".*")
      case .column(let name, let alias, let cast):
        // In parentheses nothing but a type can stand: behind a bare `::` clauses of words alone could follow.
        if cast != nil { builder.sql("CAST(") }
        builder.column(name, of: relation)
        if let cast { builder.sql(" AS \(cast))") }
        if cast != nil || alias != nil {
          builder.sql(" AS ")
          builder.identifier(alias ?? name)
        }
      }
    }
  }

  mutating func whereClause(_ filters: [Filter], of relation: Relation) {
    guard !filters.isEmpty else { return }
    sql(" WHERE ")
    list(filters, separator: " AND ") { builder, filter in
      builder.sql(filter.isNegated ? "NOT (" : "(")
      builder.column(filter.column, of: relation)
      switch filter.condition {
      case .comparison(let comparison, let operand):
        builder.sql(" \(comparison.sqlOperator) ")
        builder.bind(operand)
      case .inList(let elements):
        builder.sql(" = ANY(")
        builder.bind(Self.arrayLiteral(elements))
        builder.sql(")")
      case .is(let constant):
        builder.sql(" IS \(constant == .notNull ? "NOT NULL" : constant.rawValue.uppercased())")
      }
      builder.sql(")")
    }
  }

  mutating func orderClause(_ terms: [OrderTerm], of relation: Relation) {
    guard !terms.isEmpty else { return }
    sql(" ORDER BY ")
    list(terms) { builder, term in
      builder.column(term.column, of: relation)
      switch term.direction {
      case .ascending: builder.sql(" ASC")
      case .descending: builder.sql(" DESC")
      case nil: break
      }
      switch term.nulls {
      case .first: builder.sql(" NULLS FIRST")
      case .last: builder.sql(" NULLS LAST")
      case nil: break
      }
    }
  }

  mutating func limitClause(_ range: RowRange) {
    if let limit = range.limit {
      sql(" LIMIT ")
      bind(String(limit))
    }
    if range.offset > 0 {
      sql(" OFFSET ")
      bind(String(range.offset))
    }
  }

  /// An array in PostgreSQL's text form with every element quoted, so none is taken for NULL or a separator.
  static func arrayLiteral(_ elements: [String]) -> String {
    let quoted = elements.map { "\"" + $0.escaping(["\\", "\""], with: "\\") + "\"" }
    return "{" + quoted.joined(separator: ",") + "}"
  }
}

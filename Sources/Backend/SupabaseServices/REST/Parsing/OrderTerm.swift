/// One entry of `order=`: `due.desc.nullslast`.
struct OrderTerm: Equatable {
  enum Direction: String { case ascending = "asc", descending = "desc" }
  enum Nulls: String { case first = "nullsfirst", last = "nullslast" }

  var column: String
  var direction: Direction?
  var nulls: Nulls?
}

extension OrderTerm {
  static func list(_ value: String) throws(RESTError) -> [OrderTerm] {
    guard !value.isEmpty else { return [] }
    var scanner = ParameterScanner(value, subject: "order")
    var terms: [OrderTerm] = []
    repeat { terms.append(try term(&scanner)) } while scanner.skip(",")
    try scanner.expectEnd(or: "\",\"")
    return terms
  }

  private static func term(_ scanner: inout ParameterScanner) throws(RESTError) -> OrderTerm {
    var term = OrderTerm(column: try scanner.columnName())
    while scanner.skip(".") {
      if term.nulls == nil, scanner.skip(Nulls.first.rawValue) {
        term.nulls = .first
      } else if term.nulls == nil, scanner.skip(Nulls.last.rawValue) {
        term.nulls = .last
      } else if term.direction == nil, term.nulls == nil, scanner.skip(Direction.ascending.rawValue) {
        term.direction = .ascending
      } else if term.direction == nil, term.nulls == nil, scanner.skip(Direction.descending.rawValue) {
        term.direction = .descending
      } else {
        throw scanner.failure(expecting: "\"asc\", \"desc\", \"nullsfirst\" or \"nullslast\"")
      }
    }
    return term
  }
}

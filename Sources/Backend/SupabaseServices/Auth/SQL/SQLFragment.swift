internal import SwiftwaterPostgres

/// A piece of a statement with the values of its parameters, to be set into others.
struct SQLFragment: ExpressibleByStringInterpolation, Sendable {
  fileprivate enum Piece: Sendable {
    case sql(String)
    case parameter(PostgresParameter)
  }

  fileprivate var pieces: [Piece]

  init(stringLiteral sql: String) { pieces = [.sql(sql)] }
  init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  /// The fragment as a whole statement.
  var statement: PostgresStatement { "\(self)" }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { pieces.append(.sql(literal)) }
    /// Adds SQL text that the program itself has written.
    mutating func appendInterpolation(raw sql: String) { pieces.append(.sql(sql)) }
    mutating func appendInterpolation(_ fragment: SQLFragment) { pieces += fragment.pieces }
    mutating func appendInterpolation(_ text: String?) { pieces.append(.parameter(PostgresParameter(text))) }
    mutating func appendInterpolation(_ number: Int?) { pieces.append(.parameter(PostgresParameter(number))) }
    mutating func appendInterpolation(_ number: Double?) { pieces.append(.parameter(PostgresParameter(number))) }
    mutating func appendInterpolation(_ truth: Bool?) { pieces.append(.parameter(PostgresParameter(truth))) }
    /// Adds a list of texts as one parameter of the type `text[]`.
    mutating func appendInterpolation(texts: [String]) {
      let elements = texts.map { text in
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
      }
      appendInterpolation("{\(elements.joined(separator: ","))}")
      appendLiteral("::text[]")
    }
  }
}

extension PostgresStatement.Interpolation {
  /// Adds a fragment and its parameters.
  mutating func appendInterpolation(_ fragment: SQLFragment) {
    for piece in fragment.pieces {
      switch piece {
      case .sql(let sql): appendLiteral(sql)
      case .parameter(let value): appendInterpolation(value)
      }
    }
  }
}

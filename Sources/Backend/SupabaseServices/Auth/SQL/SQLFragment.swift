internal import SwiftwaterPostgres

/// A piece of a statement with the values of its parameters, to be set into others.
struct SQLFragment: ExpressibleByStringInterpolation, Sendable {
  fileprivate enum Piece: Sendable {
    case sql(String)
    case parameter(PostgresParameter)
  }

  fileprivate var pieces: [Piece]
  /// Whether it hashes a password, which keeps a connection and a processor busy for a while.
  private(set) var hashes = false

  init(stringLiteral sql: String) { pieces = [.sql(sql)] }
  init(stringInterpolation: StringInterpolation) {
    (pieces, hashes) = (stringInterpolation.pieces, stringInterpolation.hashes)
  }

  /// The hash of a password.
  ///
  /// - Parameters:
  ///   - salt: SQL text that the program itself has written.
  ///   - schema: pgcrypto's, quoted.
  static func crypt(_ password: String, salt: String, schema: String) -> SQLFragment {
    var fragment: SQLFragment = "\(raw: schema).crypt(\(password)::text, \(raw: salt))"
    fragment.hashes = true
    return fragment
  }

  /// The hash of a new password.
  static func crypt(_ password: String, cost: Int, schema: String) -> SQLFragment {
    crypt(password, salt: "\(schema).gen_salt('bf', \(cost))", schema: schema)
  }

  /// The fragment as a whole statement.
  var statement: PostgresStatement { "\(self)" }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []
    fileprivate var hashes = false

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { pieces.append(.sql(literal)) }
    /// Adds SQL text that the program itself has written.
    mutating func appendInterpolation(raw sql: String) { pieces.append(.sql(sql)) }
    mutating func appendInterpolation(_ fragment: SQLFragment) {
      pieces += fragment.pieces
      hashes = hashes || fragment.hashes
    }
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

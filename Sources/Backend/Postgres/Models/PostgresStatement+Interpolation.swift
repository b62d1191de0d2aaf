extension PostgresStatement: ExpressibleByStringInterpolation {
  /// A statement without parameters.
  public init(stringLiteral sql: String) {
    self.init(sql)
  }

  /// A statement whose interpolated values are parameters.
  public init(stringInterpolation: Interpolation) {
    self.init(stringInterpolation.sql, stringInterpolation.parameters)
  }

  /// Collects the text and the values of an interpolated statement.
  public struct Interpolation: StringInterpolationProtocol, Sendable {
    var sql = ""
    var parameters: [PostgresParameter] = []

    /// Starts an empty statement.
    public init(literalCapacity: Int, interpolationCount: Int) {
      sql.reserveCapacity(literalCapacity + 4 * interpolationCount)
      parameters.reserveCapacity(interpolationCount)
    }

    /// Adds SQL text.
    public mutating func appendLiteral(_ literal: String) {
      sql += literal
    }

    /// Binds a value.
    public mutating func appendInterpolation(_ value: PostgresParameter) {
      parameters.append(value)
      sql += "$\(parameters.count)"
    }

    /// Binds text.
    public mutating func appendInterpolation(_ text: String?) { appendInterpolation(PostgresParameter(text)) }
    /// Binds a number.
    public mutating func appendInterpolation(_ number: Int?) { appendInterpolation(PostgresParameter(number)) }
    /// Binds a number.
    public mutating func appendInterpolation(_ number: Double?) { appendInterpolation(PostgresParameter(number)) }
    /// Binds a truth value.
    public mutating func appendInterpolation(_ truth: Bool?) { appendInterpolation(PostgresParameter(truth)) }
    /// Binds bytes.
    public mutating func appendInterpolation(_ bytes: [UInt8]?) { appendInterpolation(PostgresParameter(bytes)) }
  }
}

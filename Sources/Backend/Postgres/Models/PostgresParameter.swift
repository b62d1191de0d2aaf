/// A value for one `$n` of a statement. PostgreSQL infers its type from the statement, so cast where it cannot:
/// `$1::jsonb`.
public enum PostgresParameter: Sendable, Hashable {
  /// SQL `NULL`.
  case null
  /// The value in PostgreSQL's text form, which fits every type.
  case text(String)
  /// The value in PostgreSQL's binary form; for `bytea` these are the bytes themselves.
  case binary([UInt8])

  /// Text, or `NULL` for `nil`.
  public init(_ text: String?) {
    self = text.map(Self.text) ?? .null
  }

  /// A number's digits, or `NULL` for `nil`.
  public init(_ number: Int?) {
    self.init(number.map(String.init))
  }

  /// A number in its shortest exact form, or `NULL` for `nil`.
  public init(_ number: Double?) {
    // PostgreSQL spells the exceptions differently.
    self.init(number.map { $0.isInfinite ? ($0 < 0 ? "-Infinity" : "Infinity") : $0.isNaN ? "NaN" : "\($0)" })
  }

  /// `true` or `false`, or `NULL` for `nil`.
  public init(_ truth: Bool?) {
    self.init(truth.map { $0 ? "true" : "false" })
  }

  /// Bytes for a `bytea`, or `NULL` for `nil`.
  public init(_ bytes: [UInt8]?) {
    self = bytes.map(Self.binary) ?? .null
  }
}

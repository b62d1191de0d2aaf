/// The form of a query's plan; open to forms that are not listed here.
public struct ExplainFormat: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The form as it stands in a request.
  public let rawValue: String

  /// Takes any form.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any form.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Lines to read, as `psql` shows them.
  public static let text: ExplainFormat = "text"
  /// JSON.
  public static let json: ExplainFormat = "json"
}

/// How the server counts all rows that match; open to ways that are not listed here.
public struct CountOption: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The way as it stands in a request.
  public let rawValue: String

  /// Takes any way.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any way.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// By counting them, which takes its time on large tables.
  public static let exact: CountOption = "exact"
  /// By the planner's estimate.
  public static let planned: CountOption = "planned"
  /// Exactly up to a limit, by the planner's estimate beyond.
  public static let estimated: CountOption = "estimated"
}

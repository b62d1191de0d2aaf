/// How the server counts all rows that match.
public enum CountOption: String, Sendable {
  /// By counting them, which takes its time on large tables.
  case exact
  /// By the planner's estimate.
  case planned
  /// Exactly up to a limit, by the planner's estimate beyond.
  case estimated
}

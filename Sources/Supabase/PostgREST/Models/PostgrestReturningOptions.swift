/// What a change returns.
public enum PostgrestReturningOptions: String, Sendable {
  /// Nothing.
  case minimal
  /// The rows as they are afterwards.
  case representation
}

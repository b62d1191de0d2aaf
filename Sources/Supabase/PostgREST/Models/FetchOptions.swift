/// What a call asks for besides its rows, chosen when it runs.
public struct FetchOptions: Sendable, Hashable {
  /// Whether a read fetches no rows, only the count.
  public var head: Bool
  /// How all rows are counted, if they are.
  public var count: CountOption?

  /// Asks for nothing unless told.
  public init(head: Bool = false, count: CountOption? = nil) {
    self.head = head
    self.count = count
  }
}

extension PageSequence {
  /// The pages of a list, fetched one after the other as they are asked for.
  public struct Pages: AsyncSequence {
    /// A page: at least one element.
    public typealias Element = [PageSequence.Element]

    let makeFetch: () -> Fetch

    /// Begins at the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(fetch: makeFetch()) }

    /// Goes through the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let fetch: Fetch

      /// The next page; nil at the end.
      ///
      /// - Throws: what fetching it throws; `CancellationError` when the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
        while true {
          try Task.checkCancellation()
          guard let page = try await fetch() else { return nil }
          if !page.isEmpty { return page }
        }
      }
    }
  }
}

public import FoundationEssentials
public import Helpers

extension PostgrestRequestBuilder where Phase: PostgrestTransformablePhase {
  /// All rows of a read, fetched page by page as a loop goes on.
  ///
  /// ```swift
  /// for try await todo in client.from("todos").select().order("id").rows(as: Todo.self) {
  ///   print(todo.task)
  /// }
  /// ```
  ///
  /// Order the rows by something unique: each page is a request of its own, and only an order makes the second one go on
  /// where the first one ended. A row that is inserted or removed before that place meanwhile shifts the rest, so that a
  /// row comes twice or not at all. `limit(_:)` and `offset(_:)` bound the whole, not a page.
  ///
  /// A server may give fewer rows at a time than asked for (`db-max-rows`), and a first page that is not full does not
  /// tell whether it did; then another request is made, unless `select(count: .exact)` tells.
  ///
  /// - Parameters:
  ///   - type: what a row is.
  ///   - pageSize: how many rows are asked for at a time.
  ///   - decoder: reads the rows, in place of the configuration's.
  /// - Returns: a sequence that throws `PostgrestError` (of the kind `.invalidRequest` when the request has no order or
  ///   does more than read), and `CancellationError` when the task is cancelled.
  public func rows<Row: Decodable>(
    as type: Row.Type = Row.self, pageSize: Int = 1000, decoder: JSONDecoder? = nil
  ) -> PageSequence<Row> {
    let builder = next(PostgrestPhase.Transform.self) { $0.fault = $0.fault ?? $0.whyNoPages(of: pageSize) }
    return PageSequence(startingAt: RowPage(of: request, size: pageSize)) { page in
      let asked = builder.offset(page.offset).limit(page.limit)
      do {
        let response = try await asked.execute(as: [Row].self, decoder: decoder)
        return (response.value, page.next(after: response.value.count, total: response.count))
      } catch let error as PostgrestError where error.code == .rangeNotSatisfiable && !page.isFirst {
        // Rows have gone meanwhile.
        return ([], nil)
      }
    }
  }
}

extension PostgrestRequest {
  fileprivate func whyNoPages(of size: Int) -> String? {
    if method != .get { return "Only reads come in pages; call a function with get: true for that." }
    if size < 1 { return "A page needs a size of at least one row." }
    if format.shape != .rows || format.plan != nil {
      return "Pages are lists of rows: leave out single(), csv(), geojson() and explain()."
    }
    if self["order"] == nil {
      return "Pages need an order(_:) by a unique column: without one, rows come twice or not at all."
    }
    return nil
  }
}

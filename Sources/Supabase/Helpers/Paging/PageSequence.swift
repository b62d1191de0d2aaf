/// The elements of a list that a server gives page by page.
///
/// A page is fetched when its first element is asked for, never ahead: a loop that ends early has cost no page too many.
/// Each iteration begins at the first page. Between two pages the list may change; what a module's list does then stands
/// at the method that returns the sequence. An error ends the sequence.
///
/// Pages are fetched on the actor that iterates, so the elements need not be `Sendable`; the sequence itself is for one
/// task.
///
/// ```swift
/// for try await todo in client.from("todos").select().order("id").rows(as: Todo.self) {
///   print(todo.task)
/// }
/// ```
public struct PageSequence<Element>: AsyncSequence {
  /// Gives the next page, nil behind the last one.
  typealias Fetch = () async throws -> [Element]?

  private let makeFetch: () -> Fetch

  /// The pages of a list that leads from one to the next.
  ///
  /// - Parameters:
  ///   - first: where the list begins.
  ///   - fetch: returns the page at a place, and the place of the next one, nil if it was the last.
  package init<Place>(
    startingAt first: Place, fetch: @escaping (Place) async throws -> (elements: [Element], next: Place?)
  ) {
    makeFetch = {
      var place: Place? = first
      return {
        guard let current = place else { return nil }
        // An error leaves no place behind, so it ends the sequence.
        place = nil
        let page = try await fetch(current)
        place = page.next
        return page.elements
      }
    }
  }

  /// The same list in pages as the server gives them, none of them empty.
  public var pages: Pages { Pages(makeFetch: makeFetch) }

  /// Begins at the first page.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }

  /// Goes through the elements.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var pages: Pages.AsyncIterator
    private var page: ArraySlice<Element> = []

    init(pages: Pages.AsyncIterator) { self.pages = pages }

    /// The next element; nil at the end.
    ///
    /// - Throws: what fetching a page throws; `CancellationError` when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
      if page.isEmpty {
        guard let next = try await pages.next(isolation: actor) else { return nil }
        page = next[...]
      }
      return page.popFirst()
    }
  }
}

/// Remembers what a consumer saw last.
@usableFromInline
final class DuplicateFilter<Element: Sendable>: Sendable {
  private let areEqual: @Sendable (Element, Element) -> Bool
  private let last = LockIsolated<Element?>(nil)

  init(areEqual: @escaping @Sendable (Element, Element) -> Bool) {
    self.areEqual = areEqual
  }

  /// Whether `element` differs from the one before.
  @usableFromInline
  func admits(_ element: Element) -> Bool {
    let previous = last.withLock { last -> Element? in
      defer { last = element }
      return last
    }
    guard let previous else { return true }
    return !areEqual(previous, element)
  }
}

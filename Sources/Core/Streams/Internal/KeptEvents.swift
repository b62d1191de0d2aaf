/// The unread events of one `.bufferingOldest` consumer, which may lie far apart and so must not pin the log.
@usableFromInline
struct KeptEvents<Element: Sendable>: Sendable {
  // Read places are emptied at once, so that compacting releases nothing of the caller's under the lock.
  private var elements: [Element?] = []
  private var head = 0
  let limit: Int
  private(set) var droppedCount = 0

  init(limit: Int) {
    self.limit = limit
  }

  @usableFromInline var isEmpty: Bool { head == elements.count }

  mutating func append(_ element: Element) {
    if elements.count - head < limit { elements.append(element) } else { droppedCount += 1 }
  }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 32, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// All unread events, to be released outside the lock.
  mutating func takeAll() -> [Element] {
    defer { (elements, head) = ([], 0) }
    return elements.compactMap { $0 }
  }
}

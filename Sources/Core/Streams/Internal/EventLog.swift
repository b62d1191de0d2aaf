/// The events that some consumer has yet to read, at ever growing positions.
@usableFromInline
@frozen
struct EventLog<Element: Sendable>: Sendable {
  /// The position of the first stored event.
  @usableFromInline var start = 0
  @usableFromInline var elements: [Element] = []
  /// The length at which looking for read events is worth its cost again.
  @usableFromInline var trimLength = minimumTrimLength

  @inlinable static var minimumTrimLength: Int { 64 }

  @inlinable init() {}

  /// The position of the next event.
  @inlinable var end: Int { start &+ elements.count }
  @inlinable var wantsTrim: Bool { elements.count >= trimLength }

  @inlinable
  subscript(position: Int) -> Element { elements[position &- start] }

  @inlinable
  mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Drops what lies before `position` and returns it, to be released outside the lock.
  ///
  /// What remains is copied; as the log must double before the next look, that costs constant time per event.
  @inlinable
  mutating func trim(before position: Int) -> [Element] {
    trimLength = Swift.max(Self.minimumTrimLength, (end &- position) &* 2)
    guard position > start else { return [] }
    let garbage = elements
    let kept = garbage[(position &- start)...]
    elements = []
    elements.reserveCapacity(kept.isEmpty ? 0 : trimLength)
    elements.append(contentsOf: kept)
    start = position
    return garbage
  }
}

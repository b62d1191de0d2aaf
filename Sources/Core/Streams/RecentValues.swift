/// A bounded dictionary of two halves, of which the older is dropped when the younger is full, so that what is in use
/// stays and nothing has to be sorted.
package struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline let capacity: Int
  @usableFromInline var young: [Key: Value] = [:]
  @usableFromInline var old: [Key: Value] = [:]

  /// Keeps so many values; none if that is less than two.
  @inlinable package init(capacity: Int) { self.capacity = capacity }

  @inlinable package var count: Int { young.count + old.count }

  @inlinable package subscript(key: Key) -> Value? {
    mutating get {
      if let found = young[key] { return found }
      guard let found = old.removeValue(forKey: key) else { return nil }
      self[key] = found
      return found
    }
    set {
      guard capacity > 1 else { return }
      if young.count >= capacity / 2 { (old, young) = (young, [:]) }
      young[key] = newValue
    }
  }
}

/// Verified tokens by their text: two halves, of which the older is dropped when the younger is full, so that what is in
/// use stays and nothing has to be sorted.
struct RecentTokens {
  private let capacity: Int
  private var young: [String: JSONWebToken] = [:]
  private var old: [String: JSONWebToken] = [:]

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { young.count + old.count }

  subscript(token: String) -> JSONWebToken? {
    mutating get {
      if let found = young[token] { return found }
      guard let found = old.removeValue(forKey: token) else { return nil }
      self[token] = found
      return found
    }
    set {
      guard capacity > 1 else { return }
      if young.count >= capacity / 2 { (old, young) = (young, [:]) }
      young[token] = newValue
    }
  }
}

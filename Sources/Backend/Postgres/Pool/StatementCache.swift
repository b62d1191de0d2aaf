/// The names under which one connection has prepared its statements, least recently used out first.
struct StatementCache {
  enum Use: Equatable {
    /// Prepared under this name.
    case execute(String)
    /// Prepare under this name, then execute.
    case prepare(String)
    /// Send the text.
    case direct
  }

  /// A statement's text. Its end tells most statements apart, and is hashed faster than the whole.
  private struct Text: Hashable {
    let text: ExactText

    init(_ sql: String) { text = ExactText(sql) }

    func hash(into hasher: inout Hasher) {
      var sql = text.text
      sql.withUTF8 { utf8 in
        hasher.combine(utf8.count)
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8).suffix(128)))
      }
    }
  }

  private struct Entry {
    let name: String
    /// False until PostgreSQL has confirmed the preparation: a batch that relied on it earlier would fail with it.
    var isReady = false
    var lastUse: UInt64
  }

  let capacity: Int
  private var entries: [Text: Entry] = [:]
  private var uses: UInt64 = 0
  private var names: UInt64 = 0
  private var prefix = "s"
  private var evicted: [String] = []

  init(capacity: Int) { self.capacity = capacity }

  mutating func use(_ sql: String) -> Use {
    guard capacity > 0 else { return .direct }
    uses += 1
    let sql = Text(sql)
    if let index = entries.index(forKey: sql) {
      entries.values[index].lastUse = uses
      let entry = entries.values[index]
      return entry.isReady ? .execute(entry.name) : .direct
    }
    if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      entries[oldest.key] = nil
      evicted.append(oldest.value.name)
    }
    names += 1
    let name = "\(prefix)\(names)"
    entries[sql] = Entry(name: name, lastUse: uses)
    return .prepare(name)
  }

  /// PostgreSQL has prepared the statement, or has not.
  mutating func prepared(_ sql: String, as name: String, _ succeeded: Bool) {
    let sql = Text(sql)
    guard let index = entries.index(forKey: sql), entries.values[index].name == name else { return }
    if succeeded { entries.values[index].isReady = true } else { entries.remove(at: index) }
  }

  /// The session has forgotten what it had prepared.
  mutating func removeAll() { entries = [:] }

  /// Somebody else prepares statements on the connection, too: takes names that nobody guesses from now on.
  mutating func changeNames() {
    prefix = "swiftwater_\(UInt64.random(in: 0 ... .max))_"
  }

  /// The prepared statement has become useless.
  mutating func invalidate(_ sql: String) {
    if let entry = entries.removeValue(forKey: Text(sql)) { evicted.append(entry.name) }
  }

  /// The names that can be deallocated on the server.
  mutating func takeEvicted() -> [String] {
    if evicted.isEmpty { return [] }
    defer { evicted = [] }
    return evicted
  }
}

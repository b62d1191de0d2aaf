/// The segments of a target's path, from the left. `/a/` has two, the second of them empty; `/` has an empty one.
struct PathSegments {
  private let target: String
  private let end: String.Index
  /// Behind the slash that begins the next segment; nil when there is none.
  private var position: String.Index?

  init(_ target: String) {
    self.target = target
    end = target.utf8.firstIndex(of: .questionMark) ?? target.endIndex
    position = target.utf8.first == .slash ? target.utf8.index(after: target.startIndex) : nil
  }

  /// The next segment, nil at the end.
  mutating func next() -> Substring? {
    guard let start = position else { return nil }
    let slash = target.utf8[start..<end].firstIndex(of: .slash)
    position = slash.map { target.utf8.index(after: $0) }
    return target[start..<(slash ?? end)]
  }

  /// What has not been taken yet, without its first slash.
  var rest: Substring { target[(position ?? end)..<end] }
}

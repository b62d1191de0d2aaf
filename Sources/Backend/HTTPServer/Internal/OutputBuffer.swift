/// The bytes of responses that the socket has not taken yet, in order.
struct OutputBuffer: Sendable {
  private var chunks: [[UInt8]] = []
  private var first = 0
  private var offset = 0
  /// How many bytes wait.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Adds bytes behind the others, of which `taken` at the front have been sent already.
  mutating func append(_ bytes: [UInt8], taken: Int = 0) {
    guard taken < bytes.count else { return }
    if isEmpty { offset = taken }
    chunks.append(bytes)
    count += bytes.count - taken
  }

  /// Forgets the chunks that have gone, when they have become the most: a steady peer may never let it run empty.
  private mutating func compact() {
    guard first == chunks.count || first > 32 && first > chunks.count / 2 else { return }
    chunks.removeFirst(first)
    first = 0
  }

  /// Hands the bytes to `send`, which says how many it took, until it takes no more (nil: it failed).
  ///
  /// - Returns: false when it failed.
  mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int?) -> Bool {
    defer { compact() }
    while first < chunks.count {
      let start = offset
      guard let taken = chunks[first].withUnsafeBytes({ send(UnsafeRawBufferPointer(rebasing: $0[start...])) }) else {
        return false
      }
      offset += taken
      count -= taken
      guard offset == chunks[first].count else { return true }
      chunks[first] = []
      first += 1
      offset = 0
    }
    return true
  }
}

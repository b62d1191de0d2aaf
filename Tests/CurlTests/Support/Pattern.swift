/// Checks that a body made of equal blocks arrives without a gap or a repetition.
struct Pattern {
  /// About a million bytes; the length is odd, so that no buffer boundary repeats.
  static let block: [UInt8] = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }

  private(set) var count = 0
  private(set) var isIntact = true

  mutating func check(_ chunk: [UInt8]) {
    var rest = chunk[...]
    while !rest.isEmpty {
      let start = count % Self.block.count
      let expected = Self.block[start...].prefix(rest.count)
      if rest.prefix(expected.count) != expected { isIntact = false }
      count += expected.count
      rest = rest.dropFirst(expected.count)
    }
  }
}

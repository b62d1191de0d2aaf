#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Checks that a body made of equal blocks arrives without a gap or a repetition.
struct Pattern {
  /// About a million bytes; the length is odd, so that no buffer boundary repeats.
  static let block: [UInt8] = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }

  private(set) var count = 0
  private(set) var isIntact = true

  mutating func check(_ chunk: [UInt8]) {
    var position = 0
    while position < chunk.count {
      let start = count % Self.block.count
      let length = min(chunk.count - position, Self.block.count - start)
      // memcmp, because the suite runs unoptimized.
      let isEqual = chunk[position...].withUnsafeBytes { chunk in
        Self.block[start...].withUnsafeBytes { block in
          guard let chunk = chunk.baseAddress, let block = block.baseAddress else { return false }
          return memcmp(chunk, block, length) == 0
        }
      }
      if !isEqual { isIntact = false }
      count += length
      position += length
    }
  }
}

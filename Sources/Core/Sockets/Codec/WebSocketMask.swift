/// Masking of payloads (RFC 6455 §5.3): each byte is combined with one of four key bytes in turn.
///
/// A key is kept as a little-endian number, its first byte lowest; zero leaves a payload as it is.
enum WebSocketMask {
  /// The key for a payload that goes on `count` bytes later.
  static func advance(_ key: UInt32, by count: Int) -> UInt32 {
    let shift = UInt32(truncatingIfNeeded: count & 3) * 8
    return shift == 0 ? key : key &>> shift | key &<< (32 - shift)
  }

  /// Copies `source` to `target`, masking or unmasking it on the way.
  static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, key: UInt32) {
    guard let start = source.baseAddress, !source.isEmpty else { return }
    guard key != 0 else { return target.copyMemory(from: start, byteCount: source.count) }
    apply(key, from: start, to: target, count: source.count)
  }

  /// Masks or unmasks bytes where they are.
  static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    guard key != 0, let start = bytes.baseAddress else { return }
    apply(key, from: UnsafeRawPointer(start), to: start, count: bytes.count)
  }

  private static func apply(
    _ key: UInt32, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
  ) {
    let wide = (UInt64(key) << 32 | UInt64(key)).littleEndian
    var index = 0
    while index &+ 8 <= count {
      let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      target.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    while index < count {
      let byte = source.load(fromByteOffset: index, as: UInt8.self)
      let part = UInt8(truncatingIfNeeded: key &>> (UInt32(truncatingIfNeeded: index & 3) &* 8))
      target.storeBytes(of: byte ^ part, toByteOffset: index, as: UInt8.self)
      index &+= 1
    }
  }
}

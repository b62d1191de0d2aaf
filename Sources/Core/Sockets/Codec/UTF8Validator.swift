/// Tells at the first wrong byte that a text is not UTF-8, however the text is split (Unicode 16, table 3-7).
struct UTF8Validator {
  /// How many bytes of the current character are missing.
  private var missing: UInt8 = 0
  /// What the next byte of the current character may be.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// Whether no character has begun that is not complete.
  var isComplete: Bool { missing == 0 }

  /// Checks the next bytes; false when the text can not be UTF-8 any more.
  mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    let count = bytes.count
    while index < count {
      if missing == 0 {
        // Eight at a time as long as they are ASCII.
        while index &+ 8 <= count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          index &+= 8
        }
        guard index < count else { return true }
      }
      guard accepts(bytes[index]) else { return false }
      index &+= 1
    }
    return true
  }

  private mutating func accepts(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard byte >= lowest, byte <= highest else { return false }
      missing &-= 1
      lowest = 0x80
      highest = 0xBF
      return true
    }
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: missing = 1
    case 0xE0: begin(2, from: 0xA0)
    case 0xED: begin(2, to: 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: begin(3, from: 0x90)
    case 0xF1...0xF3: missing = 3
    case 0xF4: begin(3, to: 0x8F)
    default: return false
    }
    return true
  }

  /// Overlong forms, surrogates and what lies above U+10FFFF show in the second byte.
  private mutating func begin(_ count: UInt8, from lowest: UInt8 = 0x80, to highest: UInt8 = 0xBF) {
    missing = count
    self.lowest = lowest
    self.highest = highest
  }
}

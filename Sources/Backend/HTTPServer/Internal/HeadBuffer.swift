/// Memory that is filled from the front with parts of a head. What does not fit is left out, so make it large enough.
struct HeadBuffer {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  /// How much has been filled.
  private(set) var count = 0

  init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: String) {
    if text.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil {
      for byte in text.utf8 { append(byte) }
    }
  }

  /// In decimal digits.
  mutating func append(_ number: Int) {
    guard number >= 0 else { return append(String(number)) }
    if number >= 10 { append(number / 10) }
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  private mutating func append(_ byte: UInt8) {
    guard count < bytes.count else { return }
    bytes[count] = byte
    count += 1
  }

  private mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
    guard part.count <= bytes.count - count, let source = part.baseAddress, let place = bytes.baseAddress else {
      return
    }
    (place + count).update(from: source, count: part.count)
    count += part.count
  }
}

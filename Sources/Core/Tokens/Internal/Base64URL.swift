/// Base64 with the alphabet of URLs and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = alphabet.enumerated().reduce(into: Array(repeating: 0xFF, count: 256)) {
    $0[Int($1.element)] = UInt8($1.offset)
  }

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(buffer >> bits & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes; nil for anything but what `encode` writes, so that a value has one spelling.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for character in text.utf8 {
      let value = values[Int(character)]
      guard value != 0xFF else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    guard bits < 6, buffer & (1 << bits - 1) == 0 else { return nil }
    return bytes
  }
}

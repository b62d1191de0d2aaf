/// Base64 with the alphabet of URLs and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  /// What each character stands for, four times: at each place of a group of four, whose bits are 24. Other characters
  /// have a bit above those.
  private static let values: [UInt32] = (0..<4).flatMap { place in
    var values = [UInt32](repeating: 1 << 24, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt32(value) << (18 - 6 * place) }
    return values
  }

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let alphabet = alphabet
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
  package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)[...]) }

  /// The bytes of a text in ASCII.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    // A group of four has 24 bits. One character alone has no whole byte, and bits that belong to none must be 0.
    let rest = text.count % 4
    guard rest != 1 else { return nil }
    let count = text.count / 4 * 3 + max(0, rest - 1)
    var isValid = true
    let bytes = values.withUnsafeBufferPointer { values in
      text.withUnsafeBufferPointer { text in
        [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
          var (seen, output): (UInt32, Int) = (0, 0)
          for index in stride(from: 0, to: text.count - rest, by: 4) {
            let group =
              values[Int(text[index])] | values[256 + Int(text[index + 1])] | values[512 + Int(text[index + 2])]
              | values[768 + Int(text[index + 3])]
            seen |= group
            bytes[output] = UInt8(truncatingIfNeeded: group >> 16)
            bytes[output + 1] = UInt8(truncatingIfNeeded: group >> 8)
            bytes[output + 2] = UInt8(truncatingIfNeeded: group)
            output += 3
          }
          if rest > 0 {
            let index = text.count - rest
            var group = values[Int(text[index])] | values[256 + Int(text[index + 1])]
            if rest > 2 { group |= values[512 + Int(text[index + 2])] }
            bytes[output] = UInt8(truncatingIfNeeded: group >> 16)
            if rest > 2 { bytes[output + 1] = UInt8(truncatingIfNeeded: group >> 8) }
            seen |= group
            isValid = group & (rest > 2 ? 0xFF : 0xFFFF) == 0
          }
          isValid = isValid && seen < 1 << 24
          initialized = count
        }
      }
    }
    return isValid ? bytes : nil
  }
}

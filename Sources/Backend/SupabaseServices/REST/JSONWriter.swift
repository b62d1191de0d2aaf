/// Writes small JSON texts; rows come ready-made from PostgreSQL.
struct JSONWriter {
  enum Value {
    case null
    case string(String)
    /// JSON as it is.
    case json(String)
  }

  private(set) var bytes: [UInt8] = []

  mutating func object(_ members: [(name: String, value: Value)]) {
    object(members) { writer, value in writer.value(value) }
  }

  mutating func object(_ members: [(name: String, value: String)]) {
    object(members) { writer, value in writer.string(value) }
  }

  /// Calls `body` with what writes a member.
  mutating func object(_ body: ((_ name: String, _ value: String) -> Void) -> Void) {
    bytes.reserveCapacity(512)
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    body { name, value in
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      string(name)
      bytes.append(UInt8(ascii: ":"))
      string(value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func object<Member>(
    _ members: [(name: String, value: Member)], write: (inout Self, Member) -> Void
  ) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      string(member.name)
      bytes.append(UInt8(ascii: ":"))
      write(&self, member.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  mutating func value(_ value: Value) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .string(let text): string(text)
    case .json(let json): bytes.append(contentsOf: json.utf8)
    }
  }

  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      // Nearly all texts are written as they are.
      if Self.isPlain(UnsafeRawBufferPointer(utf8)) { bytes.append(contentsOf: utf8) } else { escaped(utf8) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether nothing has to be escaped; eight bytes at a time, since whole tokens come by here.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // A byte's highest bit is set where the byte was zero (and, above one that was, perhaps elsewhere).
    func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & (ones << 7) }
    var position = 0
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let controls = (word &- ones &* 0x20) & ~word & (ones << 7)
      guard controls | zeros(word ^ ones &* 0x22) | zeros(word ^ ones &* 0x5C) == 0 else { return false }
      position += 8
    }
    return bytes[position...].allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  private mutating func escaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
      default: bytes.append(byte)
      }
    }
  }

  /// Adds text as it is.
  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

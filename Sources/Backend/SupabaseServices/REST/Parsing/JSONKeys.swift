/// Reads of a JSON text what the service must know before PostgreSQL parses it: that it is JSON, and which members the
/// objects in it have.
struct JSONKeys {
  enum Shape: Equatable { case object, array, other }

  struct Malformed: Error {}

  private(set) var shape = Shape.other
  /// The members of the object, or of each object of the array, which all have the same; nil when they differ.
  private(set) var keys: [String]? = []
  /// Whether an array holds anything but objects.
  private(set) var hasOtherElements = false

  init(_ bytes: [UInt8]) throws(Malformed) {
    guard
      let reader = bytes.withUnsafeBufferPointer({ buffer -> JSONKeys? in
        var reader = Reader(bytes: buffer)
        var keys = JSONKeys()
        return (try? keys.read(&reader)) == nil ? nil : keys
      })
    else { throw Malformed() }
    self = reader
  }

  private init() {}

  private mutating func read(_ reader: inout Reader) throws(Malformed) {
    reader.skipSpaces()
    switch reader.next {
    case UInt8(ascii: "{"):
      shape = .object
      keys = try reader.object()
    case UInt8(ascii: "["):
      shape = .array
      try readArray(&reader)
    default: try reader.value()
    }
    reader.skipSpaces()
    guard reader.next == nil else { throw Malformed() }
  }

  private mutating func readArray(_ reader: inout Reader) throws(Malformed) {
    try reader.take(UInt8(ascii: "["))
    reader.skipSpaces()
    if reader.skip(UInt8(ascii: "]")) { return }
    var first: Set<ExactKey>?
    repeat {
      reader.skipSpaces()
      guard reader.next == UInt8(ascii: "{") else {
        hasOtherElements = true
        try reader.value()
        reader.skipSpaces()
        continue
      }
      let members = try reader.object()
      let set = Set(members.map(ExactKey.init))
      if let first {
        if first != set { keys = nil }
      } else {
        first = set
        keys = members
      }
      reader.skipSpaces()
    } while reader.skip(UInt8(ascii: ","))
    try reader.take(UInt8(ascii: "]"))
  }

  /// Two spellings of one letter are two names for PostgreSQL.
  private struct ExactKey: Hashable {
    var bytes: [UInt8]
    init(_ text: String) { bytes = Array(text.utf8) }
  }

  /// A strict reader of JSON (RFC 8259), without recursion, so no nesting is too deep for it.
  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      index += 1
      return true
    }

    mutating func take(_ byte: UInt8) throws(Malformed) {
      guard skip(byte) else { throw Malformed() }
    }

    mutating func skipSpaces() {
      while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    /// The names of an object's members.
    mutating func object() throws(Malformed) -> [String] {
      try take(UInt8(ascii: "{"))
      skipSpaces()
      var names: [String] = []
      if skip(UInt8(ascii: "}")) { return names }
      repeat {
        skipSpaces()
        names.append(try name())
        skipSpaces()
        try take(UInt8(ascii: ":"))
        try value()
        skipSpaces()
      } while skip(UInt8(ascii: ","))
      try take(UInt8(ascii: "}"))
      return names
    }

    /// Any value.
    mutating func value() throws(Malformed) {
      var open: [UInt8] = []
      repeat {
        skipSpaces()
        guard let byte = next else { throw Malformed() }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          index += 1
          skipSpaces()
          let closing: UInt8 = byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
          if !skip(closing) {
            open.append(closing)
            if closing == UInt8(ascii: "}") { try memberName() }
            continue
          }
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
        try close(&open)
      } while !open.isEmpty
    }

    /// After a value: what ends there, and the way to the next value.
    private mutating func close(_ open: inout [UInt8]) throws(Malformed) {
      while let closing = open.last {
        skipSpaces()
        if skip(closing) {
          open.removeLast()
          continue
        }
        try take(UInt8(ascii: ","))
        if closing == UInt8(ascii: "}") { try memberName() }
        return
      }
    }

    private mutating func memberName() throws(Malformed) {
      skipSpaces()
      try string()
      skipSpaces()
      try take(UInt8(ascii: ":"))
    }

    private mutating func name() throws(Malformed) -> String {
      let start = index + 1
      let hasEscapes = try string()
      let text = bytes[start..<(index - 1)]
      guard hasEscapes else { return String(decoding: text, as: UTF8.self) }
      return try Self.unescaped(text)
    }

    /// - Returns: whether there are escapes in it.
    @discardableResult
    private mutating func string() throws(Malformed) -> Bool {
      try take(UInt8(ascii: "\""))
      var hasEscapes = false
      while let byte = next {
        index += 1
        switch byte {
        case UInt8(ascii: "\""): return hasEscapes
        case UInt8(ascii: "\\"):
          hasEscapes = true
          try escape()
        case 0..<0x20: throw Malformed()
        default: break
        }
      }
      throw Malformed()
    }

    private mutating func escape() throws(Malformed) {
      guard let byte = next else { throw Malformed() }
      index += 1
      if byte == UInt8(ascii: "u") {
        for _ in 0..<4 {
          guard let digit = next, Self.hexadecimalValue(digit) != nil else { throw Malformed() }
          index += 1
        }
      } else if !"\"\\/bfnrt".utf8.contains(byte) {
        throw Malformed()
      }
    }

    private mutating func word(_ word: StaticString) throws(Malformed) {
      for offset in 0..<word.utf8CodeUnitCount { try take(word.utf8Start[offset]) }
    }

    private mutating func number() throws(Malformed) {
      _ = skip(UInt8(ascii: "-"))
      if !skip(UInt8(ascii: "0")) { try digits() }
      if skip(UInt8(ascii: ".")) { try digits() }
      if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
        if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
        try digits()
      }
    }

    private mutating func digits() throws(Malformed) {
      let start = index
      while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
      guard index > start else { throw Malformed() }
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt16? {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
      default: nil
      }
    }

    private static func unescaped(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws(Malformed) -> String {
      var units: [UInt16] = []
      var rest = text[...]
      while let byte = rest.first {
        guard byte == UInt8(ascii: "\\") else {
          let plain = rest.prefix { $0 != UInt8(ascii: "\\") }
          units.append(contentsOf: String(decoding: plain, as: UTF8.self).utf16)
          rest = rest[plain.endIndex...]
          continue
        }
        let letter = rest[rest.startIndex + 1]
        rest = rest.dropFirst(2)
        switch letter {
        case UInt8(ascii: "b"): units.append(8)
        case UInt8(ascii: "f"): units.append(12)
        case UInt8(ascii: "n"): units.append(10)
        case UInt8(ascii: "r"): units.append(13)
        case UInt8(ascii: "t"): units.append(9)
        case UInt8(ascii: "u"):
          units.append(rest.prefix(4).reduce(0) { $0 << 4 | (hexadecimalValue($1) ?? 0) })
          rest = rest.dropFirst(4)
        default: units.append(UInt16(letter))
        }
      }
      guard let name = String(validating: units, as: UTF16.self) else { throw Malformed() }
      return name
    }
  }
}

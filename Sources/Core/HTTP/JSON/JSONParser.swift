/// Reads one JSON text from its beginning to its end.
struct JSONParser {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0
  /// Whether what is read is checked and nothing more.
  private var isSkipping = false

  private static let maximumDepth = 512

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws -> JSONValue {
    var parser = JSONParser(bytes: bytes)
    let value = try parser.value()
    try parser.end()
    return value
  }

  /// Reads some members of an object.
  static func members(
    _ names: [StaticString], of bytes: UnsafeBufferPointer<UInt8>, _ found: (Int, JSONValue) -> Void
  ) throws {
    var parser = JSONParser(bytes: bytes)
    parser.skipSpace()
    guard parser.next == UInt8(ascii: "{") else { throw parser.corrupted("an object should be here") }
    _ = try parser.nested { parser in
      try parser.eachMember { parser in
        let place = try parser.place(among: names)
        try parser.colon()
        parser.isSkipping = place == nil
        let value = try parser.value()
        if let place { found(place, value) }
        parser.isSkipping = false
      }
      return .null
    }
    try parser.end()
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private mutating func end() throws {
    skipSpace()
    guard next == nil else { throw corrupted("more follows the value") }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "This is no JSON at byte \(position): \(reason)."))
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Goes past the byte if it is next, and the space before it.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func value() throws -> JSONValue {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try nested { .object(try $0.members()) }
    case UInt8(ascii: "["): return try nested { .array(try $0.elements()) }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): return try number()
    case nil: throw corrupted("it ends where a value should be")
    default: throw corrupted("a value should be here")
    }
  }

  private mutating func nested(_ content: (inout JSONParser) throws -> JSONValue) throws -> JSONValue {
    depth += 1
    guard depth <= Self.maximumDepth else { throw corrupted("more than \(Self.maximumDepth) levels") }
    position += 1
    let value = try content(&self)
    depth -= 1
    return value
  }

  private mutating func members() throws -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    try eachMember { parser in
      let name = try parser.string()
      try parser.colon()
      let value = try parser.value()
      if !parser.isSkipping { members[name] = value }
    }
    return members
  }

  private mutating func eachMember(_ read: (inout JSONParser) throws -> Void) throws {
    if skip(UInt8(ascii: "}")) { return }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw corrupted("a member's name should be here") }
      try read(&self)
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw corrupted("a comma or the object's end should be here") }
  }

  private mutating func colon() throws {
    guard skip(UInt8(ascii: ":")) else { throw corrupted("a colon should be here") }
  }

  private mutating func elements() throws -> [JSONValue] {
    var elements: [JSONValue] = []
    if skip(UInt8(ascii: "]")) { return elements }
    repeat {
      let value = try value()
      if !isSkipping { elements.append(value) }
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw corrupted("a comma or the list's end should be here") }
    return elements
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
    for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard next == byte else { throw corrupted("\(word) should be here") }
      position += 1
    }
    return value
  }
}

// MARK: - Numbers

extension JSONParser {
  private mutating func number() throws -> JSONValue {
    let start = position
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let first = next
    var (magnitude, overflows) = (0, false)
    let integerDigits = digits { digit in
      let (product, one) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, two) = product.subtractingReportingOverflow(Int(digit))
      // Counted downwards, since there is one more number below zero.
      (magnitude, overflows) = (sum, overflows || one || two)
    }
    guard integerDigits > 0, integerDigits == 1 || first != UInt8(ascii: "0") else {
      throw corrupted("a number should be here")
    }
    var isWhole = true
    if next == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      guard digits() > 0 else { throw corrupted("a digit should be here") }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      isWhole = false
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard digits() > 0 else { throw corrupted("a digit should be here") }
    }
    if isWhole, !overflows {
      if isNegative { return .integer(magnitude) }
      if magnitude != .min { return .integer(-magnitude) }
    }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    guard let double = Double(text), double.isFinite else { throw corrupted("the number before it is too large") }
    // As a decoder has it, to which 1.0 and 1e2 are whole. From 2^53 on a double no longer tells which whole number was meant.
    guard !isWhole, abs(double) < 0x1p53, let whole = Int(exactly: double) else { return .double(double) }
    return .integer(whole)
  }

  private mutating func digits(_ body: (UInt8) -> Void = { _ in }) -> Int {
    let start = position
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      body(byte - UInt8(ascii: "0"))
      position += 1
    }
    return position - start
  }
}

// MARK: - Texts

extension JSONParser {
  private mutating func string() throws -> String {
    position += 1
    let start = position
    return try skipPlainText() == UInt8(ascii: "\"") ? try text(start..<position - 1) : try escapedString(from: start)
  }

  /// Which of the names the text that comes next is.
  private mutating func place(among names: [StaticString]) throws -> Int? {
    position += 1
    let start = position
    guard try skipPlainText() == UInt8(ascii: "\"") else {
      let text = try escapedString(from: start)
      return names.firstIndex { $0.description == text }
    }
    let text = UnsafeBufferPointer(rebasing: bytes[start..<position - 1])
    return names.firstIndex { name in
      name.utf8CodeUnitCount == text.count
        && text.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: text.count))
    }
  }

  /// Goes past what stands for itself in a text, and past the quote or backslash behind it, which is returned.
  private mutating func skipPlainText() throws -> UInt8 {
    var index = position
    while index + 8 <= bytes.count {
      let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let places = Self.placesOfInterest(UInt64(littleEndian: word))
      index += places == 0 ? 8 : places.trailingZeroBitCount / 8
      if places != 0 { break }
    }
    while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\"),
      bytes[index] >= 0x20
    {
      index += 1
    }
    position = index
    guard let byte = next else { throw corrupted("a text does not end") }
    guard byte >= 0x20 else { throw corrupted("a control character must be escaped") }
    position += 1
    return byte
  }

  /// Of eight bytes, the first in the lowest bits, the highest bits of those that are quotes, backslashes or control
  /// characters. Behind the first of them there may be others, too.
  private static func placesOfInterest(_ word: UInt64) -> UInt64 {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // A byte less one borrows from its highest bit if it is 0.
    func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & highs }
    let quotes = zeros(word ^ ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = zeros(word ^ ones &* UInt64(UInt8(ascii: "\\")))
    let controls = (word &- ones &* 0x20) & ~word & highs
    return quotes | backslashes | controls
  }

  /// The whole of a text that begins at `start` and whose first backslash has just been passed.
  private mutating func escapedString(from start: Int) throws -> String {
    var (text, start) = ("", start)
    while true {
      text += try self.text(start..<position - 1)
      text.unicodeScalars.append(try escape())
      start = position
      if try skipPlainText() == UInt8(ascii: "\"") { return text + (try self.text(start..<position - 1)) }
    }
  }

  private func text(_ range: Range<Int>) throws -> String {
    if isSkipping { return "" }
    guard let text = String(utf8: UnsafeBufferPointer(rebasing: bytes[range])) else {
      throw corrupted("the text before it is not UTF-8")
    }
    return text
  }

  private mutating func escape() throws -> Unicode.Scalar {
    guard let byte = next else { throw corrupted("an escape does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint()
    default: throw corrupted("there is no such escape")
    }
  }

  private mutating func codePoint() throws -> Unicode.Scalar {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    // Two halves, the higher one first.
    guard unit < 0xDC00, next == UInt8(ascii: "\\") else { throw corrupted("half a character") }
    position += 1
    guard next == UInt8(ascii: "u") else { throw corrupted("half a character") }
    position += 1
    let low = try codeUnit()
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    else { throw corrupted("half a character") }
    return scalar
  }

  private mutating func codeUnit() throws -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw corrupted("four hexadecimal digits should be here")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}

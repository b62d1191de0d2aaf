/// Reads the chunked coding (RFC 9112 §7.1) in whatever pieces it arrives.
///
/// Chunk extensions and trailer fields are checked for harmless characters, counted against a limit, and dropped.
struct ChunkedBodyParser {
  enum Step: Equatable {
    /// Everything has been consumed and more is to come.
    case needsBytes
    /// So many bytes at the position are data; the caller takes them and moves on.
    case data(Int)
    /// The body is complete.
    case end
  }

  private enum Expectation {
    case size
    case beforeExtension
    case extensions
    case sizeLineFeed
    case data
    case dataCarriageReturn
    case dataLineFeed
    case trailerStart
    case trailerName
    case trailerValue
    case trailerLineFeed
    case finalLineFeed
  }

  /// What extensions and trailers of one body may take together: they cost the sender little and the reader work.
  static let maximumOverhead = 16 * 1024
  private static let maximumSizeDigits = 15

  private var expectation = Expectation.size
  private var digits = 0
  private var remaining: Int64 = 0
  private var overhead = 0

  /// Reads on at `position`, which moves behind what has been consumed.
  mutating func next(in buffer: [UInt8], at position: inout Int) throws(HTTPServerError) -> Step {
    while position < buffer.count {
      if expectation == .data {
        let count = Int(min(Int64(buffer.count - position), remaining))
        remaining -= Int64(count)
        if remaining == 0 { expectation = .dataCarriageReturn }
        return .data(count)
      }
      let byte = buffer[position]
      position += 1
      if try consume(byte) { return .end }
    }
    return .needsBytes
  }

  /// Takes a byte that is not data; true at the end of the body.
  private mutating func consume(_ byte: UInt8) throws(HTTPServerError) -> Bool {
    switch expectation {
    case .size:
      if let value = byte.hexadecimalValue {
        digits += 1
        guard digits <= Self.maximumSizeDigits else { throw .malformed("A chunk size has too many digits.") }
        remaining = remaining << 4 | Int64(value)
      } else {
        guard digits > 0 else { throw .malformed("A chunk size is missing.") }
        try endSize(byte)
      }
    case .beforeExtension:
      try endSize(byte)
    case .extensions:
      if byte == .carriageReturn { expectation = .sizeLineFeed } else { try skip(byte) }
    case .sizeLineFeed:
      try expect(byte, .lineFeed)
      expectation = remaining == 0 ? .trailerStart : .data
    case .data:
      break
    case .dataCarriageReturn:
      try expect(byte, .carriageReturn)
      expectation = .dataLineFeed
    case .dataLineFeed:
      try expect(byte, .lineFeed)
      expectation = .size
      digits = 0
      remaining = 0
    case .trailerStart:
      if byte == .carriageReturn {
        expectation = .finalLineFeed
      } else {
        try trailerName(byte)
        expectation = .trailerName
      }
    case .trailerName:
      if byte == .colon { expectation = .trailerValue } else { try trailerName(byte) }
    case .trailerValue:
      if byte == .carriageReturn { expectation = .trailerLineFeed } else { try skip(byte) }
    case .trailerLineFeed:
      try expect(byte, .lineFeed)
      expectation = .trailerStart
    case .finalLineFeed:
      try expect(byte, .lineFeed)
      return true
    }
    return false
  }

  /// What may follow the digits: the end of the line, or an extension after optional white space.
  private mutating func endSize(_ byte: UInt8) throws(HTTPServerError) {
    switch byte {
    case .carriageReturn where expectation == .size: expectation = .sizeLineFeed
    case .semicolon: expectation = .extensions
    case .space, .tab:
      expectation = .beforeExtension
      try skip(byte)
    default: throw .malformed("A chunk size is not a hexadecimal number.")
    }
  }

  private mutating func trailerName(_ byte: UInt8) throws(HTTPServerError) {
    guard ByteSet.token.contains(byte) else { throw .malformed("A trailer field's name is not a token.") }
    try skip(byte)
  }

  private mutating func skip(_ byte: UInt8) throws(HTTPServerError) {
    guard byte >= .space && byte != .delete || byte == .tab else {
      throw .malformed("A chunk extension or trailer field has a control character.")
    }
    overhead += 1
    guard overhead <= Self.maximumOverhead else { throw .malformed("Chunk extensions or trailer fields are too long.") }
  }

  private func expect(_ byte: UInt8, _ expected: UInt8) throws(HTTPServerError) {
    guard byte == expected else { throw .malformed("A chunk does not end with CRLF.") }
  }
}

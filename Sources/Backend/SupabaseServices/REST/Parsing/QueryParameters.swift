/// The query of a request target: names and values decoded, order and repetitions kept.
struct QueryParameters: Equatable {
  struct Parameter: Equatable {
    var name: String
    var value: String
  }

  private(set) var parameters: [Parameter] = []

  /// Decodes `name=value&…` as forms do: `+` is a space, `%41` is `A`.
  ///
  /// - Throws: when a percent sign is not followed by two hexadecimal digits or the bytes are no UTF-8.
  init(_ query: Substring) throws(RESTError) {
    // By bytes: a combining accent in what follows must not hide a separator.
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        .map(Substring.init)
      parameters.append(
        Parameter(name: try Self.decode(sides[0]), value: sides.count > 1 ? try Self.decode(sides[1]) : ""))
    }
  }

  /// The value of the first parameter of that name.
  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  static func decode(_ text: Substring) throws(RESTError) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.utf8.count)
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "+"):
        decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(hexadecimalValue), let low = iterator.next().flatMap(hexadecimalValue)
        else { throw malformed(text) }
        decoded.append(high << 4 | low)
      default:
        decoded.append(byte)
      }
    }
    // PostgreSQL's text cannot hold a zero byte.
    guard !decoded.contains(0), let string = String(validating: decoded, as: UTF8.self) else { throw malformed(text) }
    return string
  }

  private static func malformed(_ text: Substring) -> RESTError {
    .parse(
      "query parameter", String(text), at: 0, unexpected: "percent-encoding",
      expecting: "two hexadecimal digits of UTF-8 text after each \"%\"")
  }

  private static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

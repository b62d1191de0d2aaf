internal import SwiftwaterHTTP

/// The query of a request target: names and values decoded, order and repetitions kept.
struct QueryParameters: Equatable, Sendable {
  struct Parameter: Equatable, Sendable {
    var name: String
    /// nil without an equals sign.
    var value: String?
  }

  private(set) var parameters: [Parameter] = []

  /// Decodes `name=value&…` as forms do: `+` is a space, `%41` is `A`.
  ///
  /// - Throws: when a percent sign is not followed by two hexadecimal digits or the bytes are no UTF-8.
  init(_ query: Substring) throws(RESTError) {
    // By bytes: a combining accent in what follows must not hide a separator.
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      let value = end == part.endIndex ? nil : Substring(part[part.index(after: end)...])
      parameters.append(
        Parameter(
          name: try Self.decode(Substring(part[..<end])),
          value: try value.map { value throws(RESTError) in try Self.decode(value) }))
    }
  }

  /// The value of the first parameter of that name.
  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// The query with its parameters in the order of their names, encoded again.
  var canonical: String {
    (parameters.count < 2 ? parameters : parameters.sorted { $0.name < $1.name })
      .map { "\($0.name.percentEncodedForQuery)=\(($0.value ?? "").percentEncodedForQuery)" }
      .joined(separator: "&")
  }

  /// - Parameter keepsPlus: a plus sign is itself, as in a path.
  static func decode(_ text: Substring, keepsPlus: Bool = false) throws(RESTError) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.utf8.count)
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "+") where !keepsPlus:
        decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(hexadecimalValue), let low = iterator.next().flatMap(hexadecimalValue)
        else { throw .malformedEncoding(text) }
        decoded.append(high << 4 | low)
      default:
        decoded.append(byte)
      }
    }
    // PostgreSQL's text cannot hold a zero byte.
    guard !decoded.contains(0), let string = String(validating: decoded, as: UTF8.self) else {
      throw .malformedEncoding(text)
    }
    return string
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

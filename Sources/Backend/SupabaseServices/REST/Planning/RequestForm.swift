internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// All of a request that decides how it is read and planned: everything but the operands of its plain comparisons.
///
/// `/todos?id=eq.7` and `/todos?id=eq.8` have the same form, since an operand is only ever bound to a parameter.
struct RequestForm {
  /// The same for requests of the same form.
  let key: ExactText
  /// The operands in their order, decoded.
  let values: [String]
  /// The target's bytes with a zero in place of each operand.
  private let target: [UInt8]

  /// Longer requests hardly repeat.
  private static let maximumBytes = 2048

  /// Nil for requests that are not worth it or that are malformed.
  init?(_ head: HTTPRequest, target: String) {
    guard target.utf8.count <= Self.maximumBytes else { return nil }
    var scanner = Scanner()
    var target = target
    guard target.withUTF8({ scanner.scan($0) }) else { return nil }
    values = scanner.values
    self.target = scanner.pattern
    var key = scanner.pattern
    key.reserveCapacity(key.count + 128)
    key.append(contentsOf: head.method.rawValue.utf8)
    for field in head.headerFields where Self.isDecisive(field.name) {
      key.append(UInt8(ascii: "\n"))
      key.append(contentsOf: field.name.canonicalName.utf8)
      key.append(UInt8(ascii: ":"))
      key.append(contentsOf: field.value.utf8)
    }
    guard key.count <= 2 * Self.maximumBytes else { return nil }
    self.key = ExactText(String(decoding: key, as: UTF8.self))
  }

  /// The target with these words as operands, which must stand for themselves in a query.
  func target(with words: [String]) -> String {
    var words = words.makeIterator()
    var bytes: [UInt8] = []
    for byte in target {
      if byte == 0 { bytes.append(contentsOf: (words.next() ?? "").utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isDecisive(_ name: HTTPField.Name) -> Bool {
    switch name {
    case .accept, .prefer, .contentType, .range, .acceptProfile, .contentProfile: true
    default: false
    }
  }

  /// Cuts operands out of a target.
  private struct Scanner {
    var pattern: [UInt8] = []
    var values: [String] = []

    /// False for what is no request's target.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      guard !bytes.contains(0) else { return false }
      pattern.reserveCapacity(bytes.count)
      var start = (bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex - 1) + 1
      pattern.append(contentsOf: bytes[..<start])
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
        guard parameter(UnsafeBufferPointer(rebasing: bytes[start..<end])) else { return false }
        if end < bytes.count { pattern.append(UInt8(ascii: "&")) }
        start = end + 1
      }
      return true
    }

    private mutating func parameter(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), Self.namesField(bytes[..<equals]),
        let operand = Self.operand(of: bytes[(equals + 1)...])
      else {
        pattern.append(contentsOf: bytes)
        return true
      }
      let text = Substring(String(decoding: bytes[operand...], as: UTF8.self))
      guard let value = try? QueryParameters.decode(text) else { return false }
      values.append(value)
      pattern.append(contentsOf: bytes[..<operand])
      pattern.append(0)
      return true
    }

    /// Whether a parameter of that name is a filter (or an argument), and not one of the words with a meaning of their own.
    private static func namesField(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
      if name.contains(UInt8(ascii: "%")) || name.contains(UInt8(ascii: "+")) { return false }
      let word = name.lastIndex(of: UInt8(ascii: ".")).map { name[($0 + 1)...] } ?? name
      return !reserved.contains { $0.utf8CodeUnitCount == word.count && word.elementsEqual($0.bytes) }
    }

    private static let reserved: [StaticString] = [
      "select", "columns", "on_conflict", "order", "limit", "offset", "and", "or",
    ]

    /// Where the operand of a comparison begins whose operand is bound as it is; patterns are not.
    private static func operand(of value: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
      for comparison in comparisons where value.starts(with: comparison.bytes) {
        return value.startIndex + comparison.utf8CodeUnitCount
      }
      return nil
    }

    private static let comparisons: [StaticString] = ["eq.", "gt.", "lt.", "gte.", "lte.", "neq."]
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

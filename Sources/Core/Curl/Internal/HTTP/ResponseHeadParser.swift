internal import SwiftwaterHTTP

/// Builds the head of the final response from the lines that libcurl passes on.
///
/// Provisional responses (1xx) are skipped, and so are trailers. libcurl has checked the status line.
struct ResponseHeadParser {
  /// The most bytes of head that are taken, provisional responses included.
  static let limit = 262_144

  private let isHead: Bool
  private let decodesContent: Bool
  /// 0 where a head begins.
  private var status = 0
  private var fields: [HTTPField] = []
  private var taken = 0
  /// The head of the final response has been taken.
  private(set) var isComplete = false
  /// Something has been taken, if only of a provisional response.
  var hasBegun: Bool { taken > 0 }

  /// - Parameters:
  ///   - isHead: whether the request's method is HEAD.
  ///   - decodesContent: whether libcurl undoes content codings.
  init(isHead: Bool, decodesContent: Bool) {
    self.isHead = isHead
    self.decodesContent = decodesContent
  }

  /// Takes a line with its line end; returns the head when this line completes it.
  mutating func take(_ line: UnsafeRawBufferPointer) throws(HTTPError) -> ResponseHead? {
    guard !isComplete else { return nil }
    taken += line.count
    guard taken <= Self.limit else { throw Self.invalid("The head of the response is larger than 256 KiB.") }
    let text = Self.trimmed(line[...])
    if status == 0 {
      status = try Self.status(in: text)
    } else if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      try fold(text)
    } else if text.isEmpty {
      return try finishHead()
    } else {
      try append(text)
    }
    return nil
  }

  private mutating func finishHead() throws(HTTPError) -> ResponseHead? {
    // What follows would be another protocol's, and never a head.
    guard status != 101 else { throw Self.invalid("The server changes to a protocol that nobody has asked for.") }
    guard status >= 200 else {
      (status, fields) = (0, [])
      return nil
    }
    isComplete = true
    let fields = HTTPFields(fields)
    guard Set(fields[values: .contentLength]).count <= 1 else {
      throw Self.invalid("The response gives two different lengths.")
    }
    return ResponseHead(status: status, fields: fields, isHead: isHead, decodesContent: decodesContent)
  }

  private mutating func append(_ text: Slice<UnsafeRawBufferPointer>) throws(HTTPError) {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
      let name = HTTPField.Name(String(decoding: text[..<colon], as: UTF8.self))
    else { throw Self.invalid("A field of the response has no valid name.") }
    let value = String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self)
    fields.append(HTTPField(name: name, value: value))
  }

  /// A line that continues the one before (RFC 9112 §5.2), joined by one space.
  private mutating func fold(_ text: Slice<UnsafeRawBufferPointer>) throws(HTTPError) {
    guard let last = fields.indices.last else {
      throw Self.invalid("The first field of the response begins with white space.")
    }
    fields[last].value += " " + String(decoding: text, as: UTF8.self)
  }

  private static func status(in line: Slice<UnsafeRawBufferPointer>) throws(HTTPError) -> Int {
    let digits = line.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }.prefix(3)
    guard let status = Int(String(decoding: digits, as: UTF8.self)), (100...999).contains(status) else {
      throw invalid("The response does not begin with a status.")
    }
    return status
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    let front = bytes.drop(while: isWhiteSpace)
    guard let last = front.lastIndex(where: { !isWhiteSpace($0) }) else { return front[front.endIndex...] }
    return front[...last]
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }

  private static func invalid(_ message: String) -> HTTPError { HTTPError(kind: .invalidResponse, message: message) }
}

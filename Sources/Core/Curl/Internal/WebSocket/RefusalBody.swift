internal import SwiftwaterHTTP

/// The beginning of what a server says when it refuses to open a WebSocket.
struct RefusalBody {
  /// The most bytes that are kept.
  static let limit = 4096

  private var bytes: [UInt8] = []
  private let length: Int

  init(_ response: HTTPResponse) {
    let fields = response.headerFields
    // A chunked body is not worth a parser of its own here.
    let announced = fields.contains(.transferEncoding) ? 0 : fields[.contentLength].flatMap { Int($0) } ?? Self.limit
    length = max(0, min(announced, Self.limit))
  }

  var isComplete: Bool { bytes.count >= length }

  mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more.prefix(length - bytes.count)) }

  /// The text in one line, without secrets; nil if there is none.
  var excerpt: String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.isEmpty ? nil : Redactor.quote(words.joined(separator: " "))
  }
}

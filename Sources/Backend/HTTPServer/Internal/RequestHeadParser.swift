internal import SwiftwaterHTTP

/// Reads one complete head strictly (RFC 9112 §2-§7): what two programs could read differently is refused.
struct RequestHeadParser {
  /// From the request line to its last field; every line ends with CRLF, the final empty line is left out.
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var hosts = 0
  private var host = ""
  private var contentLength: Int64?
  private var isChunked = false
  private var wantsClose = false
  private var wantsKeepAlive = false
  private var expectsUnknown = false

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(HTTPServerError) -> RequestHead {
    var parser = RequestHeadParser(bytes)
    return try parser.head()
  }

  private mutating func head() throws(HTTPServerError) -> RequestHead {
    let method = try self.method()
    let target = try self.target()
    let isVersion10 = try version()
    var head = RequestHead(request: HTTPRequest(method: method, path: ""), isVersion10: isVersion10)
    var fields: [HTTPField] = []
    fields.reserveCapacity(8)
    while position < bytes.count { fields.append(try field(&head)) }
    head.request.headerFields = HTTPFields(fields)
    try frame(&head)
    try address(&head, target)
    return head
  }

  // MARK: - Request line

  private mutating func method() throws(HTTPServerError) -> HTTPRequest.Method {
    let start = position
    while ByteSet.token.contains(bytes[position]) { position += 1 }
    guard position > start, bytes[position] == .space else { throw .malformed("The request method is not a token.") }
    position += 1
    return HTTPRequest.Method(rawValue: text(start..<position - 1))
  }

  private mutating func target() throws(HTTPServerError) -> String {
    let start = position
    var isASCII = true
    while bytes[position] > .space, bytes[position] != .delete {
      if bytes[position] >= 0x80 { isASCII = false }
      position += 1
    }
    guard position > start, bytes[position] == .space else {
      throw .malformed("The request target is empty or has a character that must be percent-encoded.")
    }
    position += 1
    // A fragment never leaves the client (RFC 9110 §7.1): others would cut it off, or not.
    guard !bytes[start..<position - 1].contains(.numberSign) else {
      throw .malformed("The request target has a fragment; percent-encode the # or leave it out.")
    }
    let target = text(start..<position - 1)
    // Clients do send raw UTF-8; other bytes could not be handed on untouched.
    guard isASCII || target.utf8.elementsEqual(bytes[start..<position - 1]) else {
      throw .malformed("The request target is not UTF-8; percent-encode it.")
    }
    return target
  }

  /// Whether it is version 1.0.
  private mutating func version() throws(HTTPServerError) -> Bool {
    let start = position
    while bytes[position] != .carriageReturn { position += 1 }
    let line = bytes[start..<position]
    try endLine()
    guard line.count == 8, line.starts(with: "HTTP/".utf8), line[start + 5].isDigit, line[start + 6] == 0x2E,
      line[start + 7].isDigit
    else { throw .malformed("The request line does not end with an HTTP version.") }
    // A higher minor version should pass for 1.1 (RFC 9110 §2.5); since there is none, it is a mistake or a probe.
    guard line[start + 5] == 0x31, line[start + 7] <= 0x31 else {
      throw HTTPServerError(code: .versionNotSupported, message: "This server speaks HTTP/1.1 and HTTP/1.0 only.")
    }
    return line[start + 7] == 0x30
  }

  // MARK: - Fields

  private mutating func field(_ head: inout RequestHead) throws(HTTPServerError) -> HTTPField {
    let nameStart = position
    while ByteSet.token.contains(bytes[position]) { position += 1 }
    let name = nameStart..<position
    guard !name.isEmpty, bytes[position] == .colon else {
      throw .malformed("A header field's name is not a token directly followed by a colon.")
    }
    position += 1
    while bytes[position] == .space || bytes[position] == .tab { position += 1 }
    let valueStart = position
    var isASCII = true
    while bytes[position] != .carriageReturn {
      let byte = bytes[position]
      if byte < .space && byte != .tab || byte == .delete {
        throw .malformed("A header field's value has a control character.")
      }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    var valueEnd = position
    while valueEnd > valueStart, bytes[valueEnd - 1] == .space || bytes[valueEnd - 1] == .tab { valueEnd -= 1 }
    try endLine()
    let value = isASCII ? text(valueStart..<valueEnd) : nonASCIIText(valueStart..<valueEnd)
    try interpret(name, valueStart..<valueEnd, value, &head)
    return HTTPField(name: HTTPField.Name(token: UnsafeBufferPointer(rebasing: bytes[name])), value: value)
  }

  /// Takes note of the fields that govern the connection.
  private mutating func interpret(
    _ name: Range<Int>, _ range: Range<Int>, _ value: String, _ head: inout RequestHead
  ) throws(HTTPServerError) {
    switch name.count {
    case 4 where matches(name, "host"):
      hosts += 1
      host = value
      guard hosts == 1, Self.isHost(bytes[range]) else { throw .malformed("The Host field is repeated or invalid.") }
    case 6 where matches(name, "expect"):
      for expectation in members(range) {
        if matches(expectation, "100-continue") { head.expectsContinue = true } else { expectsUnknown = true }
      }
    case 10 where matches(name, "connection"):
      for option in members(range) {
        if matches(option, "close") { wantsClose = true }
        if matches(option, "keep-alive") { wantsKeepAlive = true }
      }
    case 14 where matches(name, "content-length"):
      guard contentLength == nil, !range.isEmpty, bytes[range].allSatisfy(\.isDigit), let length = Int64(value) else {
        throw .malformed("Content-Length is repeated or not a number.")
      }
      contentLength = length
    case 17 where matches(name, "transfer-encoding"):
      guard !isChunked, matches(range, "chunked") else {
        throw .malformed("Transfer-Encoding is repeated or not exactly \"chunked\".")
      }
      isChunked = true
    default:
      break
    }
  }

  /// Decides where the body ends and whether the connection may live on.
  private func frame(_ head: inout RequestHead) throws(HTTPServerError) {
    if isChunked {
      guard contentLength == nil else { throw .malformed("Content-Length and Transfer-Encoding exclude each other.") }
      guard !head.isVersion10 else { throw .malformed("HTTP/1.0 knows no Transfer-Encoding.") }
      head.framing = .chunked
    } else if let contentLength, contentLength > 0 {
      head.framing = .length(contentLength)
    }
    guard !expectsUnknown else {
      throw HTTPServerError(code: .expectationFailed, message: "This server knows no expectation but 100-continue.")
    }
    if head.isVersion10 || head.framing == .none { head.expectsContinue = false }
    head.keepsAlive = !wantsClose && (!head.isVersion10 || wantsKeepAlive)
  }

  /// Splits the target into authority and path (RFC 9112 §3.2).
  private func address(_ head: inout RequestHead, _ target: String) throws(HTTPServerError) {
    guard hosts == 1 || head.isVersion10 else { throw .malformed("HTTP/1.1 wants a Host field.") }
    head.request.authority = hosts == 1 ? host : nil
    head.request.path = target
    if target.utf8.first == .slash { return }
    if target == "*" {
      guard head.request.method == .options else { throw .malformed("The target * is for OPTIONS only.") }
      return
    }
    guard let schemeEnd = target.firstRange(of: "://") else {
      throw .malformed("The request target does not begin with a slash.")
    }
    let scheme = target[..<schemeEnd.lowerBound].lowercased()
    let rest = target[schemeEnd.upperBound...]
    let pathStart = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let authority = rest[..<pathStart]
    guard scheme == "http" || scheme == "https", !authority.isEmpty, Self.isHost(authority.utf8) else {
      throw .malformed("The request target is not an http URL.")
    }
    head.request.scheme = scheme
    head.request.authority = String(authority)
    let path = rest[pathStart...]
    head.request.path = path.first == "/" ? String(path) : "/" + path
  }

  // MARK: - Parts

  private mutating func endLine() throws(HTTPServerError) {
    guard bytes[position + 1] == .lineFeed else { throw .malformed("A carriage return stands alone.") }
    position += 2
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  private func nonASCIIText(_ range: Range<Int>) -> String {
    if let text = String(validating: bytes[range], as: UTF8.self) { return text }
    var text = ""
    for byte in bytes[range] { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  /// Whether the bytes are `lowercase` without regard to case.
  private func matches(_ range: Range<Int>, _ lowercase: StaticString) -> Bool {
    guard range.count == lowercase.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count {
      let byte = bytes[range.lowerBound + offset]
      let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
      if lower != lowercase.utf8Start[offset] { return false }
    }
    return true
  }

  /// The members of a list, without the empty ones that it may have (RFC 9110 §5.6.1).
  private func members(_ range: Range<Int>) -> [Range<Int>] {
    bytes[range].split(separator: .comma).map(Self.trimmed).filter { !$0.isEmpty }
  }

  private static func trimmed(_ slice: Slice<UnsafeBufferPointer<UInt8>>) -> Range<Int> {
    var range = slice.startIndex..<slice.endIndex
    while let first = range.first, slice[first] == .space || slice[first] == .tab {
      range = first + 1..<range.upperBound
    }
    while let last = range.last, slice[last] == .space || slice[last] == .tab { range = range.lowerBound..<last }
    return range
  }

  /// `uri-host [ ":" port ]`; empty is allowed, for targets without an authority.
  private static func isHost(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
    guard bytes.allSatisfy(ByteSet.host.contains) else { return false }
    if bytes.first == .openBracket {
      guard let close = bytes.firstIndex(of: .closeBracket) else { return false }
      let rest = bytes[bytes.index(after: close)...]
      return rest.isEmpty || rest.first == .colon && rest.dropFirst().allSatisfy(\.isDigit)
    }
    guard !bytes.contains(.openBracket), !bytes.contains(.closeBracket) else { return false }
    guard let colon = bytes.firstIndex(of: .colon) else { return true }
    return colon > bytes.startIndex && bytes[bytes.index(after: colon)...].allSatisfy(\.isDigit)
  }
}

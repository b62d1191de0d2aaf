internal import SwiftwaterHTTP

/// A checked request in the form that libcurl takes.
struct PreparedRequest: Sendable {
  /// What is sent behind the head.
  enum Content: Sendable {
    case none
    /// Sent with its length; may be sent again.
    case bytes([UInt8])
    /// Sent with its length, or chunked when that is nil.
    case stream(length: Int64?)
  }

  let method: String
  let url: String
  /// Scheme and authority.
  let origin: String
  /// The request target as on the wire, where libcurl would not send that of the URL: one that does not begin with a
  /// slash, holds a `#` or something that is not ASCII, or has an empty query. A proxy for plain HTTP cannot be asked
  /// for such targets.
  let target: String?
  /// The header lines in libcurl's spelling: `Name: value`, `Name;` for an empty value, `Name:` for a field of
  /// libcurl's own that is not to be sent.
  let headerLines: [String]
  let content: Content
  let isSecure: Bool
  /// Whether a coded response is asked for and decoded.
  let decodesContent: Bool
  /// Whether sending it twice does what sending it once does (RFC 9110 §9.2.2).
  var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"].contains(method) }
  var isHead: Bool { method == HTTPRequest.Method.head.rawValue }

  /// - Throws: `HTTPError` of the kind `.invalidRequest` for anything that cannot be sent as it is.
  init(_ request: HTTPRequest, body: HTTPBody?) throws(HTTPError) {
    method = request.method.rawValue
    guard !method.isEmpty, method.utf8.allSatisfy(\.isHTTPToken) else {
      throw Self.invalid("The method is not a token (RFC 9110 §9.1).")
    }
    let scheme = request.scheme?.lowercased() ?? ""
    guard scheme == "http" || scheme == "https" else { throw Self.invalid("The scheme must be http or https.") }
    guard let authority = request.authority, Self.isAuthority(authority) else {
      throw Self.invalid("The authority must be a host with an optional port, without user information.")
    }
    let path = request.path
    guard !path.isEmpty, path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw Self.invalid("The path must not be empty or hold white space or control characters; percent-encode them.")
    }
    let isOrdinary = Self.isOrdinary(path.utf8)
    origin = "\(scheme)://\(authority)"
    url = origin + (isOrdinary ? path : "/")
    target = isOrdinary ? nil : path
    isSecure = scheme == "https"
    content = try Self.content(of: request, body: body)
    headerLines = try Self.headerLines(of: request, content: content)
    // A part of a coded body cannot be decoded, and the length that HEAD asks for is the length of the plain body.
    decodesContent =
      request.method != .head
      && !request.headerFields.contains(.range) && !request.headerFields.contains(.acceptEncoding)
  }

  /// Whether the text is a host with an optional port, without user information.
  static func isAuthority(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isAuthorityByte) }

  private static func isOrdinary(_ path: String.UTF8View) -> Bool {
    guard path.first == UInt8(ascii: "/"), path.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "#") }) else {
      return false
    }
    guard let mark = path.firstIndex(of: UInt8(ascii: "?")) else { return true }
    return path.index(after: mark) != path.endIndex
  }

  private static func invalid(_ message: String) -> HTTPError { HTTPError(kind: .invalidRequest, message: message) }

  private static func isAuthorityByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
      UInt8(ascii: "\\"):
      false
    default: true
    }
  }

  private static func content(of request: HTTPRequest, body: HTTPBody?) throws(HTTPError) -> Content {
    let fields = request.headerFields
    guard !fields.contains(.transferEncoding) else {
      throw invalid("Leave Transfer-Encoding to the transport: a body of unknown length is sent chunked.")
    }
    let content = try content(of: body, announced: announcedLength(fields))
    if case .none = content {
      // RFC 9110 §8.6: methods that expect content say that there is none.
      return [.post, .put, .patch].contains(request.method) ? .bytes([]) : .none
    }
    guard request.method != .head else { throw invalid("A HEAD request has no body.") }
    return content
  }

  private static func content(of body: HTTPBody?, announced: Int64?) throws(HTTPError) -> Content {
    let body = body ?? .empty
    switch (body.length, announced) {
    case (.known(let length), _) where length < 0: throw invalid("The body's length is negative.")
    case (.known(let length), let announced?) where length != announced:
      throw invalid("Content-Length says \(announced), but the body has \(length) bytes.")
    case (.known(let length), _):
      if case .bytes(let bytes) = body.storage { return bytes.isEmpty ? .none : .bytes(bytes) }
      return .stream(length: length)
    case (.unknown, let announced):
      return .stream(length: announced)
    }
  }

  private static func announcedLength(_ fields: HTTPFields) throws(HTTPError) -> Int64? {
    let values = fields[values: .contentLength]
    guard let value = values.first else { return nil }
    guard values.count == 1, value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = Int64(value) else {
      throw invalid("Content-Length is not a number.")
    }
    return length
  }

  private static func headerLines(of request: HTTPRequest, content: Content) throws(HTTPError) -> [String] {
    let fields = request.headerFields
    var lines: [String] = []
    lines.reserveCapacity(fields.count + 3)
    // The length is libcurl's to write, from the content.
    for field in fields where field.name != .contentLength {
      guard HTTPField.isValidValue(field.value) else {
        throw invalid("The value of the field \(field.name) holds a line break or NUL.")
      }
      let isEmpty = field.value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      lines.append(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if !fields.contains(.userAgent) { lines.append("User-Agent: swiftwater") }
    if !fields.contains(.accept) { lines.append("Accept:") }
    // libcurl would wait for `100 Continue` before it sends a large body.
    if !fields.contains(.expect) { lines.append("Expect:") }
    return lines
  }
}

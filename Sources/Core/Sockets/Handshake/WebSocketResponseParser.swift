package import SwiftwaterHTTP

/// Reads the head of the response to an opening handshake from a plain connection (RFC 9112).
package struct WebSocketResponseParser: Sendable {
  /// The most bytes of head that are taken.
  private static let limit = 65_536

  private var bytes: [UInt8] = []

  /// A parser at the beginning of a response.
  package init() {}

  /// Takes bytes. Returns the response when its head is complete, with what has arrived behind it.
  ///
  /// - Throws: ``WebSocketError`` with code `invalidHandshake`.
  package mutating func take(
    _ input: UnsafeRawBufferPointer
  ) throws(WebSocketError) -> (response: HTTPResponse, rest: [UInt8])? {
    var searched = max(0, bytes.count - 3)
    bytes.append(contentsOf: input)
    while let end = Self.end(of: bytes, from: searched) {
      guard end <= Self.limit else { throw Self.broken("the head is larger than 64 KiB.") }
      let response = try Self.response(bytes[..<(end - 4)])
      bytes.removeFirst(end)
      // A provisional response is followed by another one (RFC 9110 §15.2).
      if response.status.code >= 200 || response.status.code == 101 { return (response, bytes) }
      searched = 0
    }
    guard bytes.count <= Self.limit else { throw Self.broken("the head is larger than 64 KiB.") }
    return nil
  }

  /// The place behind the empty line.
  private static func end(of bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + 4 else { return nil }
    for index in start...(bytes.count - 4)
    where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
      return index + 4
    }
    return nil
  }

  private static func response(_ head: ArraySlice<UInt8>) throws(WebSocketError) -> HTTPResponse {
    var lines = head.split(separator: 10, omittingEmptySubsequences: false).map { $0.last == 13 ? $0.dropLast() : $0 }
    let first = String(decoding: lines.removeFirst(), as: UTF8.self)
    let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
      let status = Int(parts[1]), (100...999).contains(status)
    else { throw broken("it does not begin with a status line of HTTP/1.1.") }
    var response = HTTPResponse(status: HTTPResponse.Status(code: status))
    for line in lines {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
      else { throw broken("a field has no valid name.") }
      let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
      response.headerFields.append(HTTPField(name: name, value: String(value[...].trimmingBlanks)))
    }
    return response
  }

  private static func broken(_ message: String) -> WebSocketError {
    WebSocketError(code: .invalidHandshake, message: "The server's answer is no response of HTTP: \(message)")
  }
}

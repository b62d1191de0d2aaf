package import SwiftwaterHTTP

/// The client's side of the opening handshake (RFC 6455 §4.1).
package struct WebSocketClientHandshake: Sendable {
  /// The request to send, complete, with scheme `http` or `https`.
  package let request: HTTPRequest

  private let key: WebSocketKey
  private let expectedAccept: String
  private let protocols: [String]
  private let compression: WebSocketConfiguration.Compression?

  /// Checks a request and adds the fields of the handshake.
  ///
  /// - Throws: ``WebSocketError`` with code `invalidRequest`.
  package init(
    _ request: HTTPRequest, protocols: [String], configuration: WebSocketConfiguration
  ) throws(WebSocketError) {
    let key = WebSocketKey()
    guard let accept = key.accept else { throw Self.invalid("libcrypto offers no SHA-1, which WebSocket needs.") }
    self.key = key
    expectedAccept = accept
    self.protocols = protocols
    compression = configuration.compression
    try Self.check(request, protocols: protocols)
    self.request = Self.complete(request, key: key, protocols: protocols, compression: compression)
  }

  /// The request as bytes of HTTP/1.1, for a link that is a plain connection.
  package var requestBytes: [UInt8] {
    var text = "GET \(request.path) HTTP/1.1\r\n"
    for field in request.headerFields { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// Checks the response.
  ///
  /// - Throws: ``WebSocketError``: `refused` with the status when that is not 101, otherwise `invalidHandshake`.
  package func accept(_ response: HTTPResponse) throws(WebSocketError) -> WebSocketAgreement {
    guard response.status.code == 101 else {
      throw WebSocketError(
        code: .refused, message: "The server did not open a WebSocket, but answered \(response.status).",
        status: response.status)
    }
    let fields = response.headerFields
    guard fields.list(.upgrade, contains: "websocket"), fields.list(.connection, contains: "upgrade") else {
      throw Self.broken("The response does not upgrade to websocket.")
    }
    guard fields[values: .secWebSocketAccept] == [expectedAccept] else {
      throw Self.broken("Sec-WebSocket-Accept does not fit the key.")
    }
    return WebSocketAgreement(subprotocol: try subprotocol(fields), compression: try compression(fields))
  }

  private func subprotocol(_ fields: HTTPFields) throws(WebSocketError) -> String? {
    let chosen = fields[values: .secWebSocketProtocol]
    guard let first = chosen.first else { return nil }
    guard chosen.count == 1, protocols.contains(first) else {
      throw Self.broken("The server chose a subprotocol that was not offered.")
    }
    return first
  }

  private func compression(_ fields: HTTPFields) throws(WebSocketError) -> DeflateParameters? {
    guard let extensions = WebSocketExtension.list(in: fields) else {
      throw Self.broken("Sec-WebSocket-Extensions is malformed.")
    }
    guard let first = extensions.first else { return nil }
    guard extensions.count == 1, let compression,
      let agreement = DeflateParameters.agreement(offered: compression, answer: first)
    else { throw Self.broken("The server chose an extension or a parameter that was not offered.") }
    return agreement
  }

  // MARK: - The request

  private static let ownFields: Set<HTTPField.Name> = [
    .upgrade, .connection, .contentLength, .transferEncoding, .secWebSocketAccept, .secWebSocketExtensions,
    .secWebSocketKey, .secWebSocketProtocol, .secWebSocketVersion,
  ]

  private static func check(_ request: HTTPRequest, protocols: [String]) throws(WebSocketError) {
    guard request.method == .get else { throw invalid("The method must be GET.") }
    guard ["ws", "wss", "http", "https"].contains(request.scheme?.lowercased()) else {
      throw invalid("The scheme must be ws or wss.")
    }
    guard let authority = request.authority, !authority.isEmpty,
      authority.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"/?#@\\".utf8.contains($0) })
    else { throw invalid("The authority must be a host with an optional port, without user information.") }
    guard request.path.hasPrefix("/"), request.path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x23 }) else {
      throw invalid("The path must begin with a slash, without white space or fragment; percent-encode it.")
    }
    for field in request.headerFields {
      guard !ownFields.contains(field.name) else { throw invalid("Leave the field \(field.name) to the handshake.") }
      guard HTTPField.isValidValue(field.value) else {
        throw invalid("The value of the field \(field.name) holds a line break or NUL.")
      }
    }
    guard protocols.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isHTTPToken) }),
      Set(protocols).count == protocols.count
    else { throw invalid("Subprotocols must be tokens, each only once.") }
  }

  private static func complete(
    _ request: HTTPRequest, key: WebSocketKey, protocols: [String], compression: WebSocketConfiguration.Compression?
  ) -> HTTPRequest {
    var request = request
    request.scheme = ["wss", "https"].contains(request.scheme?.lowercased()) ? "https" : "http"
    var fields: HTTPFields = [.host: request.headerFields[.host] ?? request.authority ?? ""]
    fields[.upgrade] = "websocket"
    fields[.connection] = "Upgrade"
    fields[.secWebSocketKey] = key.text
    fields[.secWebSocketVersion] = "13"
    if !protocols.isEmpty { fields[.secWebSocketProtocol] = protocols.joined(separator: ", ") }
    if let compression { fields[.secWebSocketExtensions] = DeflateParameters.offer(compression) }
    if !request.headerFields.contains(.userAgent) { fields[.userAgent] = "swiftwater" }
    for field in request.headerFields where field.name != .host { fields.append(field) }
    request.headerFields = fields
    return request
  }

  private static func invalid(_ message: String) -> WebSocketError {
    WebSocketError(code: .invalidRequest, message: message)
  }

  private static func broken(_ message: String) -> WebSocketError {
    WebSocketError(code: .invalidHandshake, message: "The server's answer breaks the WebSocket protocol: \(message)")
  }
}

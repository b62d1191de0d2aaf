package import SwiftwaterHTTP

/// The server's side of the opening handshake (RFC 6455 §4.2).
package struct WebSocketServerHandshake: Sendable {
  /// Why a request cannot open a WebSocket, and what to answer.
  package struct Refusal: Error, Sendable {
    /// The status, and the fields that have to come with it.
    package let response: HTTPResponse
    /// What is wrong with the request.
    package let message: String
  }

  /// The subprotocols the client offers, in its order of preference.
  package let protocols: [String]

  private let accept: String
  private let offers: [WebSocketExtension]

  /// Whether a request asks for a WebSocket at all, rightly or not.
  package static func isRequested(by request: HTTPRequest) -> Bool {
    request.headerFields.list(.upgrade, contains: "websocket")
  }

  /// Checks a request.
  ///
  /// - Throws: ``Refusal`` with status 400, 405, or 426 where the client has to ask in another way.
  package init(_ request: HTTPRequest) throws(Refusal) {
    let fields = request.headerFields
    guard request.method == .get else {
      throw Self.refusal(.methodNotAllowed, [.allow: "GET"], "A WebSocket is opened with GET.")
    }
    guard Self.isRequested(by: request), fields.list(.connection, contains: "upgrade") else {
      throw Self.refusal(
        426, [.upgrade: "websocket", .connection: "Upgrade"], "This is a WebSocket: ask for an upgrade.")
    }
    guard fields[values: .secWebSocketVersion].map({ $0[...].trimmingBlanks }) == ["13"] else {
      throw Self.refusal(
        426, [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13"],
        "Only version 13 of the WebSocket protocol is spoken here.")
    }
    let keys = fields[values: .secWebSocketKey]
    guard keys.count == 1, let key = WebSocketKey(String(keys[0][...].trimmingBlanks)) else {
      throw Self.refusal(.badRequest, [:], "Sec-WebSocket-Key must be 16 bytes in Base64.")
    }
    guard let accept = key.accept else {
      throw Self.refusal(.internalServerError, [:], "The server cannot compute SHA-1.")
    }
    protocols = fields.list(.secWebSocketProtocol)
    guard protocols.allSatisfy({ $0.utf8.allSatisfy(\.isHTTPToken) }) else {
      throw Self.refusal(.badRequest, [:], "Sec-WebSocket-Protocol is malformed.")
    }
    guard let offers = WebSocketExtension.list(in: fields) else {
      throw Self.refusal(.badRequest, [:], "Sec-WebSocket-Extensions is malformed.")
    }
    self.accept = accept
    self.offers = offers
  }

  /// The response that opens the WebSocket, and what has been agreed on with it.
  ///
  /// - Parameter subprotocol: One of ``protocols``, or nil for none.
  package func response(
    subprotocol: String?, configuration: WebSocketConfiguration
  ) -> (response: HTTPResponse, agreement: WebSocketAgreement) {
    var fields: HTTPFields = [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: accept]
    var agreement = WebSocketAgreement()
    if let subprotocol, protocols.contains(subprotocol) {
      agreement.subprotocol = subprotocol
      fields[.secWebSocketProtocol] = subprotocol
    }
    if let compression = configuration.compression,
      let (parameters, answer) = DeflateParameters.accept(offers, compression)
    {
      agreement.compression = parameters
      fields[.secWebSocketExtensions] = answer
    }
    return (HTTPResponse(status: 101, headerFields: fields), agreement)
  }

  private static func refusal(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ message: String) -> Refusal {
    Refusal(response: HTTPResponse(status: status, headerFields: fields), message: message)
  }
}

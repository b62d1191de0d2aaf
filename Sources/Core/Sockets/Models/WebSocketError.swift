public import FoundationEssentials
public import SwiftwaterHTTP

/// Why a WebSocket could not be opened, used, or ended without a closing handshake.
public struct WebSocketError: Error, Sendable, LocalizedError, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request cannot open a WebSocket; correct it.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// No connection came about: name, network, port, proxy or TLS.
    public static let connectionFailed = Code(rawValue: "connectionFailed")
    /// The server answered with another status than 101; see ``WebSocketError/status``.
    public static let refused = Code(rawValue: "refused")
    /// The server's answer to the opening handshake breaks the protocol.
    public static let invalidHandshake = Code(rawValue: "invalidHandshake")
    /// The peer broke the protocol, and has been told so.
    public static let protocolViolation = Code(rawValue: "protocolViolation")
    /// The peer sent a text that is not UTF-8, and has been told so.
    public static let invalidText = Code(rawValue: "invalidText")
    /// The peer sent more than `maximumMessageBytes` or `maximumFrameBytes`, and has been told so.
    public static let messageTooBig = Code(rawValue: "messageTooBig")
    /// The connection broke; what was sent last may not have arrived.
    public static let connectionLost = Code(rawValue: "connectionLost")
    /// The peer did not answer in time: the opening, a ping or the closing handshake.
    public static let timeout = Code(rawValue: "timeout")
    /// The connection is closing or closed; nothing can be sent any more.
    public static let closed = Code(rawValue: "closed")
    /// Another task is receiving from this connection.
    public static let alreadyReceiving = Code(rawValue: "alreadyReceiving")
    /// A ping's payload is longer than 125 bytes.
    public static let payloadTooLong = Code(rawValue: "payloadTooLong")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened and what to do, without secrets.
  public let message: String
  /// The status with which a server refused the opening handshake.
  public let status: HTTPResponse.Status?
  /// The code with which the peer closed the connection, where that is the failure.
  public let closeCode: WebSocketCloseCode?

  /// Describes a failure.
  public init(
    code: Code, message: String, status: HTTPResponse.Status? = nil, closeCode: WebSocketCloseCode? = nil
  ) {
    self.code = code
    self.message = message
    self.status = status
    self.closeCode = closeCode
  }

  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }

  /// The kind and the message.
  public var description: String { "\(code.rawValue): \(message)" }

  /// The peer has closed the connection in good order.
  static func closedByPeer(_ code: WebSocketCloseCode?, reason: String?) -> WebSocketError {
    let words = reason.map { $0.isEmpty ? "" : ": \(Redactor.quote($0))" } ?? ""
    return WebSocketError(
      code: .closed, message: "The peer closed the connection with code \(code ?? .noStatusReceived)\(words)",
      closeCode: code)
  }
}

public import FoundationEssentials

/// Why an exchange failed before a response was complete.
public struct HTTPError: Error, Sendable, LocalizedError, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The URL, method or a header field cannot be sent; correct it.
    public static let invalidRequest = Kind(rawValue: "invalidRequest")
    /// No connection came about, so the server has not seen the request.
    public static let connectionFailed = Kind(rawValue: "connectionFailed")
    /// The connection broke while the exchange was under way; the server may have acted.
    public static let connectionLost = Kind(rawValue: "connectionLost")
    /// No byte moved for the request's `timeout`.
    public static let timeout = Kind(rawValue: "timeout")
    /// The peer's certificate is not trusted, or the handshake failed.
    public static let tls = Kind(rawValue: "tls")
    /// The peer's message breaks the protocol.
    public static let invalidResponse = Kind(rawValue: "invalidResponse")
    /// A body is larger than the given limit.
    public static let bodyTooLarge = Kind(rawValue: "bodyTooLarge")
    /// A single-pass body was read a second time.
    public static let bodyAlreadyRead = Kind(rawValue: "bodyAlreadyRead")
    /// A file to be sent cannot be read.
    public static let fileUnreadable = Kind(rawValue: "fileUnreadable")
    /// The transport has been shut down.
    public static let shutDown = Kind(rawValue: "shutDown")
  }

  /// The kind of failure.
  public let kind: Kind
  /// What happened and what to do, without secrets.
  public let message: String

  /// Describes a failure.
  public init(kind: Kind, message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }

  /// The kind and the message.
  public var description: String { "\(kind.rawValue): \(message)" }

  static func bodyTooLarge(limit: Int) -> HTTPError {
    HTTPError(kind: .bodyTooLarge, message: "The body is larger than the limit of \(limit) bytes.")
  }
}

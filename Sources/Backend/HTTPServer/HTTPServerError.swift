public import SwiftwaterHTTP

/// Why a server cannot run, or why it cannot go on with a request.
///
/// A request's body throws it while a handler reads. A handler that lets it pass answers with `status`.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Another program listens on the port; choose another port or stop that program.
    public static let addressInUse = Code(rawValue: "addressInUse")
    /// The system refuses the address, a descriptor or a thread.
    public static let cannotListen = Code(rawValue: "cannotListen")
    /// A certificate, a key or an authority cannot be read or used.
    public static let invalidTLS = Code(rawValue: "invalidTLS")
    /// `start()` was called on a server that runs.
    public static let alreadyRunning = Code(rawValue: "alreadyRunning")
    /// The request breaks the protocol (RFC 9112).
    public static let malformedRequest = Code(rawValue: "malformedRequest")
    /// The request line and the header fields exceed the limit.
    public static let headTooLarge = Code(rawValue: "headTooLarge")
    /// The request's body exceeds the limit.
    public static let contentTooLarge = Code(rawValue: "contentTooLarge")
    /// The request did not arrive within its deadline.
    public static let requestTimeout = Code(rawValue: "requestTimeout")
    /// The request expects something else than `100-continue` (RFC 9110 §10.1.1).
    public static let expectationFailed = Code(rawValue: "expectationFailed")
    /// The request is not HTTP/1.0 or HTTP/1.1.
    public static let versionNotSupported = Code(rawValue: "versionNotSupported")
    /// A handler asked for a parameter that its route does not have.
    public static let noParameter = Code(rawValue: "noParameter")
    /// The client went away before its request was complete.
    public static let connectionLost = Code(rawValue: "connectionLost")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened and what to do, in one line without secrets.
  public let message: String

  /// Describes a failure.
  public init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// What a client is told: a 4xx or 5xx status.
  public var status: HTTPResponse.Status {
    switch code {
    case .malformedRequest, .connectionLost: 400
    case .requestTimeout: 408
    case .contentTooLarge: 413
    case .expectationFailed: 417
    case .headTooLarge: 431
    case .versionNotSupported: 505
    default: 500
    }
  }

  static func malformed(_ message: String) -> HTTPServerError {
    HTTPServerError(code: .malformedRequest, message: message)
  }

  static func timeout(_ message: String) -> HTTPServerError {
    HTTPServerError(code: .requestTimeout, message: message)
  }
}

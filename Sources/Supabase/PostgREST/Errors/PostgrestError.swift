internal import FoundationEssentials
public import Helpers

/// Why a request to a PostgREST server failed.
public struct PostgrestError: SupabaseError, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server refused; `code`, `details` and `hint` tell more.
    public static let server = Kind(rawValue: "server")
    /// No complete response arrived; `underlyingError` is the transport's.
    public static let transport = Kind(rawValue: "transport")
    /// The answer does not fit the type; `underlyingError` is the decoder's, `response` holds what came. The message tells
    /// the place, and nothing that stood there.
    public static let decoding = Kind(rawValue: "decoding")
    /// The provider of the access token failed; `underlyingError` is its error.
    public static let accessToken = Kind(rawValue: "accessToken")
    /// The request cannot be made of what was given.
    public static let invalidRequest = Kind(rawValue: "invalidRequest")
  }

  /// The kind of failure.
  public let kind: Kind
  /// The server's words, or what went wrong on the way.
  public let message: String
  /// The server's code.
  public let code: Code?
  /// More of the server's words.
  public let details: String?
  /// What the server advises.
  public let hint: String?
  /// The response: a refusal, or an answer that could not be decoded.
  public let response: HTTPErrorResponse?
  /// The cause.
  public let underlyingError: (any Error)?

  /// The response's status code.
  public var status: Int? { response?.statusCode }
  /// The server's name for this exchange.
  public var requestID: String? { response?.requestID }

  /// Describes a failure.
  public init(
    kind: Kind, message: String, code: Code? = nil, details: String? = nil, hint: String? = nil,
    response: HTTPErrorResponse? = nil, underlyingError: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.code = code
    self.details = details
    self.hint = hint
    self.response = response
    self.underlyingError = underlyingError
  }

  /// Status, code, message, details and hint on one line.
  public var description: String {
    var text = "PostgrestError.\(kind.rawValue)"
    if let status { text += " \(status)" }
    if let code { text += " \(code.rawValue)" }
    text += ": \(message)"
    if let details { text += " (\(details))" }
    if let hint { text += " Hint: \(hint)" }
    return text
  }
}

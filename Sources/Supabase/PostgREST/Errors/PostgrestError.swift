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
    /// The rows do not fit the type; `underlyingError` is the decoder's.
    public static let decoding = Kind(rawValue: "decoding")
    /// The request cannot be made of what was given.
    public static let invalidRequest = Kind(rawValue: "invalidRequest")
  }

  /// The server's error code: PostgreSQL's SQLSTATE (`23505`) or PostgREST's own (`PGRST116`).
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as the server sent it.
    public let rawValue: String

    /// Takes any code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A unique constraint is violated.
    public static let uniqueViolation = Code(rawValue: "23505")
    /// A row that is referred to is missing or in use.
    public static let foreignKeyViolation = Code(rawValue: "23503")
    /// The role lacks a privilege, or a policy forbids the row.
    public static let insufficientPrivilege = Code(rawValue: "42501")
    /// The table is not known.
    public static let tableNotFound = Code(rawValue: "PGRST205")
    /// The column is not known.
    public static let columnNotFound = Code(rawValue: "PGRST204")
    /// The offset lies behind the last row.
    public static let rangeNotSatisfiable = Code(rawValue: "PGRST103")
    /// The token is missing, invalid or expired.
    public static let invalidToken = Code(rawValue: "PGRST301")
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
  /// The response.
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

internal import FoundationEssentials
public import Helpers

/// Why something about a session failed.
///
/// Neither the message nor the description carries a token, a password or a code.
public struct AuthError: SupabaseError, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server refused; `errorCode` tells why.
    public static let server = Kind(rawValue: "server")
    /// Nobody is signed in, or not any more: sign in. If the server has ended the session, `errorCode` and `response`
    /// are those of its refusal.
    public static let sessionMissing = Kind(rawValue: "sessionMissing")
    /// A sign-in by browser or mail did not succeed; `errorCode` is the provider's or the server's, if one was given.
    public static let oauthFlowFailed = Kind(rawValue: "oauthFlowFailed")
    /// A token is not to be believed.
    public static let jwtVerificationFailed = Kind(rawValue: "jwtVerificationFailed")
    /// Somebody has signed in or out while the request was under way; what it has brought was dropped.
    public static let refreshDiscarded = Kind(rawValue: "refreshDiscarded")
    /// No complete response arrived; `underlyingError` is the transport's. A session is kept.
    public static let transport = Kind(rawValue: "transport")
    /// The answer is not what it should be; `response` holds what came. A session is kept.
    public static let decoding = Kind(rawValue: "decoding")
    /// The provider of the access token failed; `underlyingError` is its error.
    public static let accessToken = Kind(rawValue: "accessToken")
    /// The storage cannot be read or written; `underlyingError` is its error. What is in memory holds, and is stored as
    /// soon as that works.
    public static let storage = Kind(rawValue: "storage")
    /// The request cannot be made of what was given.
    public static let invalidRequest = Kind(rawValue: "invalidRequest")
  }

  /// The kind of failure.
  public let kind: Kind
  /// The server's words, or what went wrong and what to do.
  public let message: String
  /// The server's code; `.unknown` where it has given none.
  public let errorCode: ErrorCode
  /// Why a password is too weak, if that is it: any of `length`, `characters` and `pwned`.
  public let weakPasswordReasons: [String]
  /// The response: a refusal, or an answer that could not be used.
  public let response: HTTPErrorResponse?
  /// The cause.
  public let underlyingError: (any Error)?

  /// The response's status code.
  public var status: Int? { response?.statusCode }
  /// The server's name for this exchange, to quote to its operators.
  public var requestID: String? { response?.requestID }

  /// Describes a failure.
  public init(
    kind: Kind, message: String, errorCode: ErrorCode = .unknown, weakPasswordReasons: [String] = [],
    response: HTTPErrorResponse? = nil, underlyingError: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.errorCode = errorCode
    self.weakPasswordReasons = weakPasswordReasons
    self.response = response
    self.underlyingError = underlyingError
  }

  /// Kind, status, code and message on one line.
  public var description: String {
    var text = "AuthError.\(kind.rawValue)"
    if let status { text += " \(status)" }
    if errorCode != .unknown { text += " \(errorCode.rawValue)" }
    text += ": \(message)"
    if !weakPasswordReasons.isEmpty { text += " (\(weakPasswordReasons.joined(separator: ", ")))" }
    if let requestID { text += " [request \(requestID)]" }
    return Redactor.quote(text)
  }
}

public import FoundationEssentials
internal import SwiftwaterHTTP

/// Why there is no credential to be had, or why one could not be kept.
///
/// Neither the message nor the description carries a secret; words of others in them are redacted.
public struct CredentialError: Error, Sendable, LocalizedError, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no credential: sign in.
    public static let absent = Code(rawValue: "absent")
    /// The server has refused to renew the credential for good, which has ended it: sign in again.
    public static let refused = Code(rawValue: "refused")
    /// The credential could not be renewed this time and is kept; try again.
    public static let refreshFailed = Code(rawValue: "refreshFailed")
    /// The credential was replaced or cleared while it was being changed; the change was dropped.
    public static let superseded = Code(rawValue: "superseded")
    /// The store cannot be read. What it holds is still there.
    public static let storeUnreadable = Code(rawValue: "storeUnreadable")
    /// The store cannot be written. What is in memory holds, and is written as soon as the store allows it.
    public static let storeUnwritable = Code(rawValue: "storeUnwritable")
    /// Another process has held the store's lock for too long; try again.
    public static let storeBusy = Code(rawValue: "storeBusy")
    /// What the store holds is no credential of this kind. It is kept until one is set or cleared.
    public static let undecodable = Code(rawValue: "undecodable")
    /// The credential cannot be turned into bytes for the store.
    public static let unencodable = Code(rawValue: "unencodable")
    /// The manager has been shut down.
    public static let shutDown = Code(rawValue: "shutDown")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened and what to do, without secrets.
  public let message: String
  /// What the store or the refresh has thrown, as it was. Its own description may carry anything.
  public let cause: (any Error)?

  /// Describes a failure.
  public init(code: Code, message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }

  /// The kind and the message.
  public var description: String { "\(code.rawValue): \(message)" }

  /// Adds the cause's own words to a message.
  init(_ code: Code, _ message: String, because cause: any Error) {
    self.init(code: code, message: "\(message): \(Redactor.quote("\(cause)"))", cause: cause)
  }
}

extension CredentialError {
  static func absent(_ end: CredentialEnd) -> CredentialError {
    guard let refusal = end.cause else {
      return CredentialError(code: .absent, message: "There is no credential (\(end.reason.rawValue)); sign in.")
    }
    return CredentialError(.refused, "The server has refused to renew the credential; sign in again", because: refusal)
  }

  static func refreshFailed(_ cause: any Error) -> CredentialError {
    if let error = cause as? CredentialError { return error }
    return CredentialError(
      .refreshFailed, "The credential could not be renewed and is kept; try again", because: cause)
  }

  static func unreadable(_ cause: any Error) -> CredentialError {
    if let error = cause as? CredentialError { return error }
    return CredentialError(.storeUnreadable, "The credential's store cannot be read", because: cause)
  }

  static func unwritable(_ cause: any Error) -> CredentialError {
    if let error = cause as? CredentialError { return error }
    return CredentialError(
      .storeUnwritable, "The credential's store cannot be written; the credential holds in memory", because: cause)
  }

  static var superseded: CredentialError {
    CredentialError(
      code: .superseded, message: "The credential was replaced or cleared meanwhile; look at the new one.")
  }

  static var shutDown: CredentialError {
    CredentialError(code: .shutDown, message: "The credential manager has been shut down; make another one.")
  }
}

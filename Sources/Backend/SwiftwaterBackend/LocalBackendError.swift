public import FoundationEssentials
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres

/// Why a backend cannot start, or what it was asked cannot be done.
public struct LocalBackendError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// PostgreSQL is not installed, does not start or does not answer.
    public static let databaseUnavailable = Code(rawValue: "databaseUnavailable")
    /// Another backend runs on the same data folder.
    public static let alreadyInUse = Code(rawValue: "alreadyInUse")
    /// The data folder cannot be entered or written.
    public static let folderNotAccessible = Code(rawValue: "folderNotAccessible")
    /// The port is taken or refused.
    public static let cannotListen = Code(rawValue: "cannotListen")
    /// A folder or file that was named does not exist or cannot be read.
    public static let inputMissing = Code(rawValue: "inputMissing")
    /// The backend has been stopped.
    public static let stopped = Code(rawValue: "stopped")
    /// PostgreSQL refused a statement.
    public static let statementFailed = Code(rawValue: "statementFailed")
    /// A setting cannot be used: a key that is malformed or too short, a secret that everybody knows on an address that
    /// others reach.
    public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened and what to do, on one line.
  public let message: String
  /// More lines for a person: of a file's statement that failed its line, with a caret below the place, and what else
  /// PostgreSQL said. Quotes the file and, where PostgreSQL does, rows.
  public let explanation: String?
  /// The cause.
  public let underlyingError: (any Error)?

  /// Describes a failure.
  public init(code: Code, message: String, explanation: String? = nil, underlyingError: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.explanation = explanation
    self.underlyingError = underlyingError
  }

  /// The same failure with one more line of explanation: what it has left behind.
  func adding(state: String) -> LocalBackendError {
    LocalBackendError(
      code: code, message: message,
      explanation: [explanation, "  state: \(state)"].compactMap(\.self).joined(separator: "\n"),
      underlyingError: underlyingError)
  }

  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }

  /// The message.
  public var description: String { message }

  /// What `error` is to a caller of this module. Cancellation stays `CancellationError`.
  static func wrap(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError, is LocalBackendError:
      return error
    case let error as PostgresError:
      if error.code == .closed {
        return LocalBackendError(
          code: .stopped, message: "The backend has been stopped; start another one.", underlyingError: error)
      }
      let code: Code =
        switch error.code {
        case .statementFailed, .invalidStatement: .statementFailed
        case .alreadyInUse: .alreadyInUse
        case .folderNotAccessible: .folderNotAccessible
        default: .databaseUnavailable
        }
      return LocalBackendError(code: code, message: "\(error)", underlyingError: error)
    case let error as HTTPServerError:
      return LocalBackendError(code: .cannotListen, message: error.message, underlyingError: error)
    default:
      return LocalBackendError(code: .databaseUnavailable, message: "\(error)", underlyingError: error)
    }
  }
}

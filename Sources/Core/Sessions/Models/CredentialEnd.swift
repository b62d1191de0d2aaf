internal import SwiftwaterHTTP

/// Why there is no credential.
public struct CredentialEnd: Sendable, CustomStringConvertible {
  /// The kind of end, open to the application's own.
  public struct Reason: RawRepresentable, Sendable, Hashable {
    /// The kind's name. It may be logged.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The store was empty when it was first read.
    public static let neverSet = Reason(rawValue: "neverSet")
    /// This program has cleared it.
    public static let cleared = Reason(rawValue: "cleared")
    /// The server has refused to renew it; see ``CredentialEnd/cause``.
    public static let refused = Reason(rawValue: "refused")
    /// Somebody else, such as another process, has removed it from the store.
    public static let removedElsewhere = Reason(rawValue: "removedElsewhere")
  }

  /// The kind of end.
  public let reason: Reason
  /// What the refresh has thrown, where the server refused. Its own description may carry anything.
  public let cause: (any Error)?

  /// Describes an end.
  public init(reason: Reason, cause: (any Error)? = nil) {
    self.reason = reason
    self.cause = cause
  }

  /// The reason, with the cause's words where there is one, without secrets.
  public var description: String {
    cause.map { "\(reason.rawValue): \(Redactor.quote("\($0)"))" } ?? reason.rawValue
  }
}

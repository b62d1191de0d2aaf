internal import FoundationEssentials
public import Helpers

/// Why a client cannot be made of what it was given. The message never quotes a key.
public struct SupabaseClientError: SupabaseError, Hashable, CustomStringConvertible {
  /// The kind of failure, open to kinds that are not listed here.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Takes any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The project's address has no scheme or host.
    public static let invalidURL = Kind(rawValue: "invalidURL")
    /// The project's key cannot be one.
    public static let invalidKey = Kind(rawValue: "invalidKey")
  }

  /// The kind of failure.
  public let kind: Kind
  /// What is wrong and what would be right.
  public let message: String

  /// No server has said it.
  public var response: HTTPErrorResponse? { nil }
  /// Nothing else has caused it.
  public var underlyingError: (any Error)? { nil }
  /// The message.
  public var description: String { message }
}

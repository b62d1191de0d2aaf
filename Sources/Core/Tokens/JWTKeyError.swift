/// Why a key, a set of keys or a setting about tokens cannot be used. The message never quotes a key.
public struct JWTKeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong and what would be right.
  public var message: String

  /// The message.
  public var description: String { message }

  package init(_ message: String) { self.message = message }
}

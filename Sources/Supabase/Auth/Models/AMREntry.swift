public import FoundationEssentials

/// How a user has proven who they are, and when.
public struct AMREntry: Decodable, Hashable, Sendable {
  /// The way, such as `password`, `otp` or `totp`.
  public let method: Method
  /// When, in seconds since 1970.
  public let timestamp: TimeInterval

  /// Describes a proof.
  public init(method: Method, timestamp: TimeInterval) {
    self.method = method
    self.timestamp = timestamp
  }

  /// The name of a way.
  public typealias Method = String
}

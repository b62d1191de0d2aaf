/// What a handler waits for on a descriptor, and what has come about.
public struct EventInterest: OptionSet, Sendable {
  /// The bits of the members below.
  public let rawValue: UInt8

  /// Wraps the bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes, a connection, or the end of the stream can be read.
  public static let readable = EventInterest(rawValue: 1)
  /// The socket's send buffer has room again.
  public static let writable = EventInterest(rawValue: 2)
  /// Reported only: the connection is gone in both directions or has failed. It is never waited for, always reported
  /// (on Darwin only while something else is waited for), and comes together with `readable` and `writable`.
  public static let hungUp = EventInterest(rawValue: 4)
}

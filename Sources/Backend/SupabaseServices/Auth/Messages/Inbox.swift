internal import SwiftwaterStreams

/// Keeps messages instead of sending them, for development: the newest some hundred, in memory.
///
/// Threading: may be used from anywhere at once.
public final class Inbox: MessageDelivery {
  private let stored = LockIsolated<[AuthMessage]>([])
  private static let limit = 500

  /// An empty inbox.
  public init() {}

  /// The messages, newest first.
  public var messages: [AuthMessage] { stored.value.reversed() }

  /// Keeps a message; the oldest goes where there are too many.
  public func deliver(_ message: AuthMessage) {
    stored.withLock { messages in
      messages.append(message)
      if messages.count > Self.limit { messages.removeFirst(messages.count - Self.limit) }
    }
  }

  /// Throws all messages away.
  public func removeAll() { stored.withLock { $0 = [] } }
}

/// What a ``ReconnectingSocket`` is doing.
public enum ReconnectingSocketStatus: Sendable {
  /// Nothing yet.
  case idle
  /// It opens a connection. `attempt` counts from 1: at first, and again after a connection that worked, which one does
  /// on which a message has arrived.
  case connecting(attempt: Int)
  /// Messages can be sent.
  case open
  /// It waits for so long before it tries again, since this happened.
  case waiting(retryAfter: Duration, error: any Error)
  /// It is at rest, as it was told to be, or since an error is final.
  case closed(error: (any Error)?)
}

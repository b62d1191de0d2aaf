/// What happens to events that a consumer has not read yet.
///
/// Each consumer has its own policy, and none affects the others, except that ``suspending(_:)`` holds back senders who
/// ask for it. Limits below one count as one.
public enum EventBufferingPolicy: Sendable, Equatable {
  /// Every event is kept until it is read. Memory grows with the slowest such consumer.
  case unbounded
  /// The newest `limit` unread events are kept; older ones are dropped and counted.
  case bufferingNewest(Int)
  /// The oldest `limit` unread events are kept; events that arrive meanwhile are dropped and counted.
  case bufferingOldest(Int)
  /// Every event is kept, and ``EventSource/send(suspendingUntilBuffered:)`` waits while `limit` or more are unread.
  ///
  /// Plain ``EventSource/send(_:)`` never waits and goes over the limit.
  case suspending(Int)
}

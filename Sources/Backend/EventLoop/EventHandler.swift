/// What an `EventLoop` calls about one descriptor, always on the loop's own thread.
///
/// A handler must not block: everything registered on the same loop waits for it.
public protocol EventHandler: AnyObject, Sendable {
  /// The descriptor can be read or written, or its peer is gone (which arrives as both).
  func ready(_ events: EventInterest)

  /// Called about four times a second, for deadlines.
  func tick(_ now: ContinuousClock.Instant)
}

extension EventHandler {
  /// No deadlines.
  public func tick(_ now: ContinuousClock.Instant) {}
}

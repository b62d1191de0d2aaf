/// A listener that is attached somewhere and can be removed.
///
/// A source's `start` closure attaches the one upstream listener and returns its registration; the source calls
/// ``remove()`` exactly once for every start. Dropping a registration does not remove the listener.
///
/// - Threading: `remove()` may be called from any thread.
public protocol ListenerRegistration: Sendable {
  /// Detaches the listener. Calls after the first have no effect.
  func remove()
}

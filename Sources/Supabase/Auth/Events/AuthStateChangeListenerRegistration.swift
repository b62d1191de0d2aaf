/// A listener that is told what happens to the session, until it is removed.
public protocol AuthStateChangeListenerRegistration: Sendable {
  /// Ends it. Calls after the first have no effect.
  func remove()
}

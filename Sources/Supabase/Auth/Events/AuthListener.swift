/// The registration of a listener that a task serves.
struct AuthListener: AuthStateChangeListenerRegistration {
  let cancel: @Sendable () -> Void

  func remove() { cancel() }
}

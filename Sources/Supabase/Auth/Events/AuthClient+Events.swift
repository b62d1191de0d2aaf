internal import SwiftwaterSessions
internal import SwiftwaterStreams

extension AuthClient {
  /// What happens to the session: first what there is, at once, then each change.
  ///
  /// ```swift
  /// for await (event, session) in auth.authStateChanges {
  ///   print(event.rawValue, session?.user.email ?? "", event.signOutReason ?? "")
  /// }
  /// ```
  public var authStateChanges: AuthStateChanges { AuthStateChanges(sessions) }

  /// The session as it is, then each newer one; nil if nobody is signed in.
  public var sessionUpdates: AuthSessionUpdates {
    // Reads the storage, if nobody has yet.
    _ = sessions.current
    return AuthSessionUpdates(state: sessions.state)
  }

  /// Calls a function with each element of ``authStateChanges``, one after the other.
  ///
  /// - Returns: What ends that. Otherwise it ends when the client is released.
  @discardableResult
  public func onAuthStateChange(
    _ listener: @escaping AuthStateChangeListener
  ) async -> some AuthStateChangeListenerRegistration {
    let changes = authStateChanges.makeAsyncIterator()
    let cancel = tasks.start("supabase.auth.listener") {
      var changes = changes
      while let (event, session) = await changes.next(isolation: nil) { listener(event, session) }
    }
    return AuthListener(cancel: cancel)
  }
}

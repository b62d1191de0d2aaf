#if canImport(Darwin)
  internal import Helpers

  extension AuthClient {
    /// Follows the app: in the background no renewals begin, and back in front the storage is looked at, as an
    /// extension may have renewed the session.
    func observeAppLifecycle() {
      let sessions = sessions
      tasks.start("supabase.auth.lifecycle") { [weak sessions] in
        await AppLifecycle.follow { [weak sessions] isActive in
          guard isActive else { return sessions?.stopAutoRefresh() ?? () }
          _ = try? await sessions?.reload()
          sessions?.startAutoRefresh()
        }
      }
    }
  }
#endif

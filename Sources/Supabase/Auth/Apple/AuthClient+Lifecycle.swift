#if canImport(Darwin)
  internal import Foundation

  extension AuthClient {
    /// Follows the app: in the background no renewals begin, and back in front the storage is looked at, as an
    /// extension may have renewed the session.
    func observeAppLifecycle() {
      #if os(macOS)
        let (active, inactive) = (
          "NSApplicationDidBecomeActiveNotification", "NSApplicationWillResignActiveNotification"
        )
      #else
        let (active, inactive) = (
          "UIApplicationDidBecomeActiveNotification", "UIApplicationWillResignActiveNotification"
        )
      #endif
      let sessions = sessions
      tasks.start("supabase.auth.lifecycle") { [weak sessions] in
        for await _ in NotificationCenter.default.notifications(named: .init(active)) {
          _ = try? await sessions?.reload()
          sessions?.startAutoRefresh()
        }
      }
      tasks.start("supabase.auth.lifecycle") { [weak sessions] in
        for await _ in NotificationCenter.default.notifications(named: .init(inactive)) { sessions?.stopAutoRefresh() }
      }
    }
  }
#endif

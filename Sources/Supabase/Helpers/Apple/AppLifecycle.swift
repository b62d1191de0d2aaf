#if canImport(Darwin)
  internal import Foundation

  /// The life of the app that the program is, which each module answers in its own way.
  package enum AppLifecycle {
    #if os(macOS)
      private static let (active, inactive) = (
        "NSApplicationDidBecomeActiveNotification", "NSApplicationWillResignActiveNotification"
      )
    #else
      private static let (active, inactive) = (
        "UIApplicationDidBecomeActiveNotification", "UIApplicationWillResignActiveNotification"
      )
    #endif

    /// Calls a function each time the app becomes active, and each time it is about to be so no more, until the task is
    /// cancelled.
    package static func follow(_ changed: @escaping @Sendable (_ isActive: Bool) async -> Void) async {
      await withTaskGroup { group in
        for (name, isActive) in [(active, true), (inactive, false)] {
          group.addTask {
            for await _ in NotificationCenter.default.notifications(named: .init(name)) { await changed(isActive) }
          }
        }
      }
    }
  }
#endif

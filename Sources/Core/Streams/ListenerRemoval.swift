/// A ``ListenerRegistration`` made of a closure.
///
/// ```swift
/// StateSource<Double, Never> { sink in
///   let id = sensor.addListener { sink.send($0) }
///   return ListenerRemoval { sensor.removeListener(id) }
/// }
/// ```
///
/// - Threading: safe to use from any thread; the closure runs at most once, on the thread that removes.
public final class ListenerRemoval: ListenerRegistration {
  private let action: LockIsolated<(@Sendable () -> Void)?>

  /// Calls `action` on the first ``remove()``.
  public init(_ action: @escaping @Sendable () -> Void) {
    self.action = LockIsolated(action)
  }

  /// Runs the closure, once, and releases it.
  public func remove() {
    let action = action.withLock { $0.take() }
    action?()
  }
}

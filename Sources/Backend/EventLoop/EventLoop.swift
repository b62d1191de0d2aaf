internal import SwiftwaterStreams

/// One thread that waits for descriptors and calls their handlers, and that can run tasks between them.
///
/// Registering, changing and removing are allowed from any thread and take effect at once; a handler that has been
/// removed is not called any more, except for a call that is already under way on the loop's thread and, if it has begun,
/// that round of ticks.
///
/// The thread ends with `stop()`, or when nobody holds the loop any more.
public final class EventLoop: Sendable {
  /// One descriptor's place on a loop. Descriptor numbers are reused by the system; registrations never are.
  public struct Registration: Sendable, Hashable {
    let token: UInt64
    let descriptor: Int32
  }

  let thread: LoopThread

  /// Starts the loop's thread.
  ///
  /// - Parameter name: the thread's name, of which systems show the first 15 bytes.
  /// - Throws: `SystemError` when the system has no descriptor or thread left.
  public init(name: String) throws(SystemError) {
    thread = try LoopThread()
    try thread.start(name)
  }

  deinit { stop() }

  /// Runs tasks on the loop's thread: `Task(executorPreference: loop.executor)`.
  ///
  /// What such a task does between two awaits must not block, as a handler must not. Once the loop has been stopped, tasks
  /// go on elsewhere.
  public var executor: any TaskExecutor { thread }

  /// Whether the caller is on the loop's thread.
  public var isCurrent: Bool { thread.isCurrent }

  /// Watches `descriptor`, which must be non-blocking. The loop keeps the handler until it is removed.
  public func register(
    _ descriptor: Int32, for interest: EventInterest, handler: any EventHandler
  ) throws(SystemError) -> Registration {
    try thread.register(descriptor, for: interest, handler: handler)
  }

  /// Changes what the registration waits for; an empty interest waits for nothing but the peer's disappearance.
  public func update(_ registration: Registration, to interest: EventInterest) {
    thread.update(registration, to: interest)
  }

  /// Stops watching. Call it before the descriptor is closed.
  public func remove(_ registration: Registration) { thread.remove(registration) }

  /// Calls `body` on the loop's thread soon, after the calls that were asked for earlier; not at all once the loop has
  /// been stopped. Like a handler, `body` must not block.
  public func perform(_ body: @escaping @Sendable () -> Void) { thread.perform(body) }

  /// Calls `body` on the loop's thread when the time has come, to a millisecond; not at all once the loop has been stopped.
  public func perform(at deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
    thread.perform(at: deadline, body)
  }

  /// Ends the thread. Handlers that are still registered are released without a call.
  public func stop() { thread.stop() }
}

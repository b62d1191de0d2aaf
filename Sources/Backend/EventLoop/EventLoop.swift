internal import CSystem
internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One thread that waits for descriptors and calls their handlers.
///
/// Registering, changing and removing are allowed from any thread and take effect at once; a handler that has been
/// removed is not called any more, except for a call that is already under way on the loop's thread and, if it has begun,
/// that round of ticks.
public final class EventLoop: Sendable {
  /// One descriptor's place on a loop. Descriptor numbers are reused by the system; registrations never are.
  public struct Registration: Sendable, Hashable {
    let token: UInt64
    let descriptor: Int32
  }

  private struct State {
    var handlers: [UInt64: any EventHandler] = [:]
    var calls: [@Sendable () -> Void] = []
    var lastToken: UInt64 = 0
    var isStopped = false
  }

  private static let tickInterval = Duration.milliseconds(250)

  private let poller: Poller
  private let state = LockIsolated(State())

  /// Starts the loop's thread.
  ///
  /// - Parameter name: the thread's name, of which systems show the first 15 bytes.
  /// - Throws: `SystemError` when the system has no descriptor or thread left.
  public init(name: String) throws(SystemError) {
    poller = try Poller()
    let context = Unmanaged.passRetained(self)
    let error = swiftwater_start_thread(
      name, { Unmanaged<EventLoop>.fromOpaque($0!).takeRetainedValue().run() }, context.toOpaque())
    if error != 0 {
      context.release()
      throw SystemError(operation: "start a thread", number: error)
    }
  }

  /// Watches `descriptor`, which must be non-blocking. The loop keeps the handler until it is removed.
  public func register(
    _ descriptor: Int32, for interest: EventInterest, handler: any EventHandler
  ) throws(SystemError) -> Registration {
    let token = state.withLock { state in
      state.lastToken += 1
      state.handlers[state.lastToken] = handler
      return state.lastToken
    }
    let registration = Registration(token: token, descriptor: descriptor)
    do throws(SystemError) {
      try poller.add(descriptor, token: token, interest: interest)
    } catch {
      dropHandler(of: registration)
      throw error
    }
    return registration
  }

  /// Changes what the registration waits for; an empty interest waits for nothing but the peer's disappearance.
  public func update(_ registration: Registration, to interest: EventInterest) {
    poller.modify(registration.descriptor, token: registration.token, interest: interest)
  }

  /// Stops watching. Call it before the descriptor is closed.
  public func remove(_ registration: Registration) {
    poller.remove(registration.descriptor)
    dropHandler(of: registration)
  }

  /// Calls `body` on the loop's thread soon, after the calls that were asked for earlier; not at all once the loop has
  /// been stopped. Like a handler, `body` must not block.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      guard !state.isStopped else { return false }
      state.calls.append(body)
      return state.calls.count == 1
    }
    // Whoever added an earlier call that still waits has woken the loop already.
    if isFirst { poller.wake() }
  }

  /// Ends the thread. Handlers that are still registered are released without a call.
  public func stop() {
    state.withLock { $0.isStopped = true }
    poller.wake()
  }

  private func dropHandler(of registration: Registration) {
    // Returned so that the handler is released outside the lock.
    _ = state.withLock { $0.handlers.removeValue(forKey: registration.token) }
  }

  private func run() {
    let clock = ContinuousClock()
    var nextTick = clock.now + Self.tickInterval
    while true {
      let (isStopped, isIdle) = state.withLock { ($0.isStopped, $0.handlers.isEmpty) }
      if isStopped { break }
      // An idle loop sleeps until it is woken: no handler, no deadline.
      poller.wait(milliseconds: isIdle ? -1 : Self.milliseconds(until: nextTick, from: clock.now)) { token, events in
        state.withLock { $0.handlers[token] }?.ready(events)
      }
      for call in takeCalls() { call() }
      let now = clock.now
      if now >= nextTick {
        nextTick = now + Self.tickInterval
        for handler in state.withLock({ Array($0.handlers.values) }) { handler.tick(now) }
      }
    }
    // Returned so that they are released outside the lock.
    _ = takeCalls()
    let leftOver = state.withLock { state in
      defer { state.handlers = [:] }
      return state.handlers
    }
    _ = leftOver
  }

  private func takeCalls() -> [@Sendable () -> Void] {
    state.withLock { state in
      defer { state.calls = [] }
      return state.calls
    }
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant, from now: ContinuousClock.Instant) -> Int32
  {
    let remaining = (deadline - now).components
    return Int32(max(0, min(1000, remaining.seconds * 1000 + remaining.attoseconds / 1_000_000_000_000_000 + 1)))
  }
}

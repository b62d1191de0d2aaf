#if os(Linux) || os(Android)
  internal import CSystem

  #if canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Glibc
  #endif

  /// epoll(7), level-triggered. Safe to use from any thread; only the loop waits.
  final class Poller: Sendable {
    private static let wakeToken: UInt64 = 0

    private let epoll: Int32
    private let event: Int32

    init() throws(SystemError) {
      epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
      event = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
      guard epoll >= 0, event >= 0 else { throw SystemError(operation: "create an event queue") }
      try add(event, token: Self.wakeToken, interest: .readable)
    }

    deinit {
      close(event)
      close(epoll)
    }

    func add(_ descriptor: Int32, token: UInt64, interest: EventInterest) throws(SystemError) {
      var request = epoll_event(events: Self.mask(interest), data: epoll_data(u64: token))
      guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &request) == 0 else {
        throw SystemError(operation: "watch a descriptor")
      }
      // A loop that slept without a deadline has one now.
      if token != Self.wakeToken { wake() }
    }

    func modify(_ descriptor: Int32, token: UInt64, interest: EventInterest) {
      var request = epoll_event(events: Self.mask(interest), data: epoll_data(u64: token))
      epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &request)
    }

    func remove(_ descriptor: Int32) {
      epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    func wake() {
      var one: UInt64 = 1
      write(event, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits at most that long (-1: for ever) and reports what is ready.
    func wait(milliseconds: Int32, _ body: (_ token: UInt64, _ events: EventInterest) -> Void) {
      withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
        guard count > 0 else { return }
        for event in events.prefix(Int(count)) {
          if event.data.u64 == Self.wakeToken {
            var value: UInt64 = 0
            read(self.event, &value, MemoryLayout<UInt64>.size)
          } else {
            body(event.data.u64, Self.interest(event.events))
          }
        }
      }
    }

    private static func mask(_ interest: EventInterest) -> UInt32 {
      var mask: UInt32 = 0
      if interest.contains(.readable) { mask |= EPOLLIN.rawValue }
      if interest.contains(.writable) { mask |= EPOLLOUT.rawValue }
      return mask
    }

    private static func interest(_ mask: UInt32) -> EventInterest {
      // A hang-up or error is both: whoever reads or writes next learns of it from the call.
      if mask & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return [.readable, .writable, .hungUp] }
      var interest: EventInterest = []
      if mask & EPOLLIN.rawValue != 0 { interest.insert(.readable) }
      if mask & EPOLLOUT.rawValue != 0 { interest.insert(.writable) }
      return interest
    }
  }
#endif

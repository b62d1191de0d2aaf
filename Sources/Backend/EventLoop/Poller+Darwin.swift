#if canImport(Darwin)
  internal import Darwin

  /// kqueue(2), level-triggered: the twin of the epoll poller.
  final class Poller: Sendable {
    private static let wakeIdentifier: UInt = 0

    private let queue: Int32

    init() throws(SystemError) {
      queue = kqueue()
      guard queue >= 0 else { throw SystemError(operation: "create an event queue") }
      apply([
        kevent(
          ident: Self.wakeIdentifier, filter: Int16(EVFILT_USER), flags: UInt16(EV_ADD | EV_CLEAR), fflags: 0, data: 0,
          udata: nil)
      ])
    }

    deinit { close(queue) }

    func add(_ descriptor: Int32, token: UInt64, interest: EventInterest) throws(SystemError) {
      let changes = [
        Self.change(descriptor, EVFILT_READ, EV_ADD | Self.enabled(interest.contains(.readable)), token),
        Self.change(descriptor, EVFILT_WRITE, EV_ADD | Self.enabled(interest.contains(.writable)), token),
      ]
      guard apply(changes) == 0 else { throw SystemError(operation: "watch a descriptor") }
      wake()
    }

    func modify(_ descriptor: Int32, token: UInt64, interest: EventInterest) {
      apply([
        Self.change(descriptor, EVFILT_READ, EV_ADD | Self.enabled(interest.contains(.readable)), token),
        Self.change(descriptor, EVFILT_WRITE, EV_ADD | Self.enabled(interest.contains(.writable)), token),
      ])
    }

    func remove(_ descriptor: Int32) {
      apply([Self.change(descriptor, EVFILT_READ, EV_DELETE, 0)])
      apply([Self.change(descriptor, EVFILT_WRITE, EV_DELETE, 0)])
    }

    func wake() {
      apply([
        kevent(
          ident: Self.wakeIdentifier, filter: Int16(EVFILT_USER), flags: 0, fflags: UInt32(NOTE_TRIGGER), data: 0,
          udata: nil)
      ])
    }

    /// Waits at most that long (-1: for ever) and reports what is ready.
    func wait(milliseconds: Int32, _ body: (_ token: UInt64, _ events: EventInterest) -> Void) {
      withUnsafeTemporaryAllocation(of: kevent.self, capacity: 256) { events in
        var timeout = timespec(tv_sec: Int(milliseconds) / 1000, tv_nsec: Int(milliseconds) % 1000 * 1_000_000)
        let count =
          milliseconds < 0
          ? kevent(queue, nil, 0, events.baseAddress, Int32(events.count), nil)
          : kevent(queue, nil, 0, events.baseAddress, Int32(events.count), &timeout)
        guard count > 0 else { return }
        for event in events.prefix(Int(count)) where event.filter != Int16(EVFILT_USER) {
          let token = UInt64(UInt(bitPattern: event.udata))
          if event.filter == Int16(EVFILT_READ) {
            body(token, .readable)
          } else {
            // The end of a stream on its reading side is half a hang-up; on its writing side it is a whole one.
            body(token, event.flags & UInt16(EV_EOF) != 0 ? [.readable, .writable, .hungUp] : .writable)
          }
        }
      }
    }

    @discardableResult
    private func apply(_ changes: [kevent]) -> Int32 {
      kevent(queue, changes, Int32(changes.count), nil, 0, nil)
    }

    private static func enabled(_ isEnabled: Bool) -> Int32 { isEnabled ? EV_ENABLE : EV_DISABLE }

    private static func change(_ descriptor: Int32, _ filter: Int32, _ flags: Int32, _ token: UInt64) -> kevent {
      kevent(
        ident: UInt(descriptor), filter: Int16(filter), flags: UInt16(flags), fflags: 0, data: 0,
        udata: UnsafeMutableRawPointer(bitPattern: UInt(token)))
    }
  }
#endif

internal import CSystem
internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Ctrl-C and `kill`, for programs that have something to put away first.
public enum TerminationSignal {
  private static let received: StateSource<Int32?, Never> = {
    let source = StateSource<Int32?, Never>(nil)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, swiftwater_catch_termination(ends[1]) == 0 else { return source }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // The thread lives as long as the process: signals may come at any time.
    let context = Unmanaged.passRetained(Relay(descriptor: ends[0], source: source))
    let error = swiftwater_start_thread(
      "signals", { Unmanaged<Relay>.fromOpaque($0!).takeRetainedValue().run() }, context.toOpaque())
    if error != 0 { context.release() }
    return source
  }()

  /// Waits for SIGINT or SIGTERM and returns its number; nil when the calling task is cancelled first.
  ///
  /// From the first call of this or `expect()` on, the signals no longer end the process: whoever calls this ends it, as a
  /// rule with the status 128 + number. A second signal ends it at once, so a user is never locked in.
  public static func next() async -> Int32? {
    for await signal in received.values {
      if let signal { return signal }
    }
    return nil
  }

  /// Catches the signals from now on, before anything has been started that would have to be put away.
  public static func expect() { _ = received }

  private final class Relay: Sendable {
    private let descriptor: Int32
    private let source: StateSource<Int32?, Never>

    init(descriptor: Int32, source: StateSource<Int32?, Never>) {
      self.descriptor = descriptor
      self.source = source
    }

    func run() {
      var number: UInt8 = 0
      while read(descriptor, &number, 1) == 1 { source.send(Int32(number)) }
    }
  }
}

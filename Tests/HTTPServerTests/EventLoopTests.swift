import SwiftwaterEventLoop
import SwiftwaterStreams
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

struct EventLoopTests {
  private final class Recorder: EventHandler {
    let events = LockIsolated(EventInterest())

    func ready(_ events: EventInterest) { self.events.withLock { $0.formUnion(events) } }
  }

  @Test("a hang-up is reported even where nothing is waited for; half a hang-up is not one")
  func hangUp() async throws {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin) || canImport(Musl)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let loop = try EventLoop(name: "test")
    let recorder = Recorder()
    let registration = try loop.register(ends[0], for: .readable, handler: recorder)
    shutdown(ends[1], Int32(SHUT_WR))
    try await eventually("the end of the stream is readable") { recorder.events.value == .readable }
    loop.update(registration, to: [.writable])
    try await eventually("there is room") { recorder.events.value == [.readable, .writable] }
    #if !canImport(Darwin)
      loop.update(registration, to: [])
    #endif
    close(ends[1])
    try await eventually("the hang-up is reported") { recorder.events.value.contains(.hungUp) }
    loop.remove(registration)
    loop.stop()
    close(ends[0])
  }
}

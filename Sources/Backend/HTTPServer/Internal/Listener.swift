internal import CSystem
internal import SwiftwaterEventLoop
internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The listening socket. One loop accepts for all.
final class Listener: EventHandler {
  private struct State: Sendable {
    var registration: EventLoop.Registration?
    var loop: EventLoop?
    var engine: ServerEngine?
    var isPaused = false
    var isClosed = false
  }

  private static let acceptsPerEvent = 64

  let port: Int
  private let descriptor: Int32
  private let state = LockIsolated(State())

  /// Binds and listens; connections wait in the system's queue until `start`.
  init(host: String, port: Int) throws(HTTPServerError) {
    let address = try SocketAddress(host: host, port: port)
    descriptor = try Self.listen(address, host, port)
    self.port = SocketAddress(localOf: descriptor)?.port ?? port
  }

  deinit { if !state.value.isClosed { Socket.close(descriptor) } }

  /// Accepts for `engine`, which is kept until `close()`.
  func start(on loop: EventLoop, for engine: ServerEngine) throws(SystemError) {
    let failure: SystemError? = state.withLock { state in
      guard !state.isClosed else { return nil }
      do throws(SystemError) {
        state.registration = try loop.register(descriptor, for: .readable, handler: self)
        state.loop = loop
        state.engine = engine
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Refuses new connections from now on. Closing twice does nothing.
  func close() {
    // Returned so that the engine is released outside the lock.
    _ = state.withLock { state -> ServerEngine? in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      if let registration = state.registration { state.loop?.remove(registration) }
      Socket.close(descriptor)
      defer { state.engine = nil }
      return state.engine
    }
  }

  func ready(_ events: EventInterest) {
    guard let engine = state.withLock({ $0.engine }) else { return }
    for _ in 0..<Self.acceptsPerEvent {
      guard engine.hasRoom else { return setPaused(true) }
      let (accepted, error) = state.withLock { state -> (Int32, Int32) in
        guard !state.isClosed else { return (-1, EAGAIN) }
        let accepted = swiftwater_accept(descriptor)
        return (accepted, accepted < 0 ? errno : 0)
      }
      guard accepted < 0 else {
        engine.accept(accepted)
        continue
      }
      switch error {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return setPaused(true)
      case EAGAIN, EWOULDBLOCK: return
      // The client has gone already, or a signal came: the next one, please.
      default: continue
      }
    }
  }

  func tick(_ now: ContinuousClock.Instant) {
    if let engine = state.withLock({ $0.isPaused ? $0.engine : nil }), engine.hasRoom { setPaused(false) }
  }

  /// Without a pause a connection that cannot be accepted would keep the loop busy.
  private func setPaused(_ isPaused: Bool) {
    state.withLock { state in
      guard !state.isClosed, state.isPaused != isPaused, let registration = state.registration else { return }
      state.isPaused = isPaused
      state.loop?.update(registration, to: isPaused ? [] : .readable)
    }
  }

  private static func listen(_ address: SocketAddress, _ host: String, _ port: Int) throws(HTTPServerError) -> Int32 {
    #if canImport(Darwin) || canImport(Musl)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { throw cannotListen(host, port) }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
      address.withPointer({ bind(descriptor, $0, $1) }) == 0,
      // The system caps the length of the queue.
      systemListen(descriptor, 4096) == 0
    else {
      let error = cannotListen(host, port)
      Socket.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// By this thread's `errno`.
  private static func cannotListen(_ host: String, _ port: Int) -> HTTPServerError {
    let number = errno
    let cause = SystemError(operation: "listen on \(host) port \(port)", number: number)
    guard number == EADDRINUSE else { return HTTPServerError(code: .cannotListen, message: "\(cause)") }
    return HTTPServerError(
      code: .addressInUse,
      message: "\(cause); choose another port, or 0 for any free one, or stop the program that uses it")
  }
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

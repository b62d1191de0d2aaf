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

  /// The port; 0 of a local socket.
  let port: Int
  private let descriptor: Int32
  private let file: UnixSocketFile?
  private let state = LockIsolated(State())

  /// Binds and listens; connections wait in the system's queue until `start`.
  init(_ configuration: HTTPServer.Configuration) throws(HTTPServerError) {
    if let path = configuration.unixSocketPath {
      let descriptor = try Self.open(family: AF_UNIX, for: path)
      do throws(HTTPServerError) {
        let file = try UnixSocketFile(binding: descriptor, to: path, mode: configuration.unixSocketMode)
        guard systemListen(descriptor) == 0 else {
          let failure = Self.failure(path)
          file.remove()
          throw failure
        }
        self.file = file
      } catch {
        Socket.close(descriptor)
        throw error
      }
      self.descriptor = descriptor
      port = 0
    } else {
      let place = "\(configuration.host) port \(configuration.port)"
      let address = try SocketAddress(host: configuration.host, port: configuration.port)
      let descriptor = try Self.open(family: address.family, for: place)
      var one: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
      guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, systemListen(descriptor) == 0 else {
        let failure = Self.failure(place)
        Socket.close(descriptor)
        throw failure
      }
      self.descriptor = descriptor
      file = nil
      port = SocketAddress(localOf: descriptor)?.port ?? configuration.port
    }
  }

  deinit {
    guard !state.value.isClosed else { return }
    file?.remove()
    Socket.close(descriptor)
  }

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
      file?.remove()
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
    let (engine, isPaused) = state.withLock { ($0.engine, $0.isPaused) }
    engine?.tick(now)
    if let engine, isPaused, engine.hasRoom { setPaused(false) }
  }

  /// Without a pause a connection that cannot be accepted would keep the loop busy.
  private func setPaused(_ isPaused: Bool) {
    state.withLock { state in
      guard !state.isClosed, state.isPaused != isPaused, let registration = state.registration else { return }
      state.isPaused = isPaused
      state.loop?.update(registration, to: isPaused ? [] : .readable)
    }
  }

  private static func open(family: Int32, for place: String) throws(HTTPServerError) -> Int32 {
    let descriptor = Socket.make(family: family)
    guard descriptor >= 0 else { throw failure(place) }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
  }

  /// By this thread's `errno`.
  private static func failure(_ place: String) -> HTTPServerError {
    let number = errno
    let cause = SystemError(operation: "listen on \(place)", number: number)
    guard number == EADDRINUSE else { return HTTPServerError(code: .cannotListen, message: "\(cause)") }
    return HTTPServerError(
      code: .addressInUse,
      message: "\(cause); choose another port, or 0 for any free one, or stop the program that uses it")
  }
}

/// With the longest queue that the system allows.
private func systemListen(_ descriptor: Int32) -> Int32 { listen(descriptor, 4096) }

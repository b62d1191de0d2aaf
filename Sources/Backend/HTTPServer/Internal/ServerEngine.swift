internal import SwiftwaterEventLoop
internal import SwiftwaterStreams

/// One run of a server, from binding to the last closed connection.
final class ServerEngine: Sendable {
  private struct State: Sendable {
    var connections: [ObjectIdentifier: Connection] = [:]
    var nextLoop = 0
    var isStopping = false
    /// Connections that are closed and whose handlers have time until then.
    var leaving: [(connection: Connection, deadline: ContinuousClock.Instant)] = []
    /// Ended when no connection is left.
    var drainWaiters: [AsyncStream<Never>.Continuation] = []
  }

  /// How long cancelled handlers may take to return before `stop` does without them.
  private static let farewell = Duration.seconds(1)

  let configuration: HTTPServer.Configuration
  let handler: HTTPServer.Handler
  let limits: ConnectionStateMachine.Limits
  let date = DateFieldCache()
  private let tls: TLSContext?
  private let listener: Listener
  private let loops: [EventLoop]
  private let ownsLoops: Bool
  /// One for each loop.
  let readBuffers: [ReadBuffer]
  private let state = LockIsolated(State())

  /// Binds and begins to accept.
  init(configuration: HTTPServer.Configuration, handler: @escaping HTTPServer.Handler) throws(HTTPServerError) {
    self.configuration = configuration
    self.handler = handler
    limits = ConnectionStateMachine.Limits(
      head: configuration.headTimeout, idle: configuration.keepAliveTimeout, progress: configuration.bodyTimeout)
    tls = try configuration.tls.map { configuration throws(HTTPServerError) in try TLSContext(configuration) }
    listener = try Listener(configuration)
    ownsLoops = configuration.sharedLoop == nil
    var loops: [EventLoop] = []
    do throws(SystemError) {
      if let shared = configuration.sharedLoop {
        loops = [shared]
      } else {
        for number in 0..<max(1, configuration.loops) { loops.append(try EventLoop(name: "http-\(number)")) }
      }
      self.loops = loops
      readBuffers = loops.map { _ in ReadBuffer() }
      try listener.start(on: loops[0], for: self)
    } catch {
      listener.close()
      if ownsLoops { for loop in loops { loop.stop() } }
      throw HTTPServerError(code: .cannotListen, message: "\(error)")
    }
  }

  /// Where handlers run; nil for the global pool.
  var executor: (any TaskExecutor)? { configuration.sharedLoop?.executor }

  /// The port that is listened on.
  var port: Int { listener.port }

  // MARK: - Connections

  var openConnections: [Connection] { state.withLock { Array($0.connections.values) } }

  var hasRoom: Bool {
    state.withLock { $0.connections.count < configuration.maximumConnections }
  }

  /// Takes over a descriptor that the listener has accepted.
  func accept(_ descriptor: Int32) {
    let peer = SocketAddress(peerOf: descriptor)?.peer ?? PeerAddress(host: "", port: 0)
    let number = state.withLock { state in
      state.nextLoop = (state.nextLoop + 1) % loops.count
      return state.nextLoop
    }
    let session = tls?.session(over: descriptor)
    guard tls == nil || session != nil else { return Socket.close(descriptor) }
    let connection = Connection(
      Socket(descriptor, tls: session), peer: peer, loop: loops[number],
      readBuffer: readBuffers[number], engine: self)
    let isWelcome = state.withLock { state in
      if !state.isStopping { state.connections[ObjectIdentifier(connection)] = connection }
      return !state.isStopping
    }
    if isWelcome { connection.start() } else { connection.abort() }
  }

  /// A connection is closed and its task has ended.
  func forget(_ connection: Connection) {
    let waiters = state.withLock { state -> [AsyncStream<Never>.Continuation] in
      state.connections[ObjectIdentifier(connection)] = nil
      guard state.isStopping, state.connections.isEmpty else { return [] }
      defer { state.drainWaiters = [] }
      return state.drainWaiters
    }
    for waiter in waiters { waiter.finish() }
  }

  /// Cancels a handler in some seconds, unless it has ended by then.
  func cancelLater(_ connection: Connection) {
    // While the server stops, its grace is the limit.
    state.withLock { if !$0.isStopping { $0.leaving.append((connection, .now + configuration.handlerFarewell)) } }
  }

  /// Called about four times a second while connections are accepted.
  func tick(_ now: ContinuousClock.Instant) {
    let due = state.withLock { state -> [Connection] in
      guard let first = state.leaving.first, now >= first.deadline else { return [] }
      let due = state.leaving.prefix { now >= $0.deadline }.map(\.connection)
      state.leaving.removeFirst(due.count)
      return due
    }
    for connection in due { connection.cancel() }
  }

  // MARK: - Stopping

  /// Lets the requests under way finish within the grace, then cancels them. Ends early when the caller is cancelled.
  func stop() async {
    for connection in beginStopping() { connection.stop() }
    await waitUntilDrained(atMost: configuration.stopGrace)
    for connection in openConnections {
      connection.abort(reset: true)
      connection.cancel()
    }
    await waitUntilDrained(atMost: Self.farewell)
    stopLoops()
  }

  /// Closes everything now.
  func shutDown() {
    for connection in beginStopping() {
      connection.abort(reset: true)
      connection.cancel()
    }
    stopLoops()
  }

  private func stopLoops() {
    if ownsLoops { for loop in loops { loop.stop() } }
  }

  private func beginStopping() -> [Connection] {
    listener.close()
    // Both are returned so that nothing is released under the lock.
    let (connections, _) = state.withLock { state in
      defer { state.leaving = [] }
      state.isStopping = true
      return (Array(state.connections.values), state.leaving)
    }
    return connections
  }

  /// Waits for the last connection, or for the time to pass, or for the task's cancellation.
  private func waitUntilDrained(atMost limit: Duration) async {
    let (drained, waiter) = AsyncStream<Never>.makeStream()
    let isDrained = state.withLock { state in
      if !state.connections.isEmpty { state.drainWaiters.append(waiter) }
      return state.connections.isEmpty
    }
    if isDrained { return }
    await withTaskGroup { group in
      group.addTask { for await _ in drained {} }
      group.addTask { try? await Task.sleep(for: limit) }
      await group.next()
      group.cancelAll()
    }
  }
}

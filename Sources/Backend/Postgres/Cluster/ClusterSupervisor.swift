internal import CSystem
internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The thread that creates, starts, watches and restarts a cluster's server. It may block; its callers do not.
final class ClusterSupervisor: Sendable {
  private struct State {
    /// Closing it ends the program that runs now.
    var lifeline: Int32?
    var isStopping = false
    /// The thread runs.
    var isRunning = false
    var stoppers: [Completion<Void>] = []
    var socketFolder = ""
    var dataFolder = ""
    var restartCount = 0
    /// Ends a pause of the thread.
    var alarm: Pipe?
  }

  /// Thrown inside when `requestStop` has been called.
  private struct Stopped: Error {}

  private let configuration: PostgresCluster.Configuration
  private let started = Completion<Void>()
  private let state = LockIsolated(State())

  init(_ configuration: PostgresCluster.Configuration) { self.configuration = configuration }

  var socketFolder: String { state.withLock { $0.socketFolder } }
  var restartCount: Int { state.withLock { $0.restartCount } }
  var serverProcess: Int32? {
    let dataFolder = state.withLock { $0.dataFolder }
    guard let file = PostmasterFile(dataFolder: dataFolder), file.isReady, file.isAlive(dataFolder: dataFolder) else {
      return nil
    }
    return file.processIdentifier
  }

  // MARK: From any thread

  /// Returns when the server takes connections; throws when nothing is left running. Call it once.
  func start() async throws {
    do {
      try await started.value {
        startThread()
      } abandoned: {
        self.requestStop()
      }
    } catch {
      // In a task of its own, which the cancelled caller waits for: a moment later the folder is free again.
      await Task { await stop() }.value
      throw error
    }
  }

  func stop() async {
    requestStop()
    let stopper = Completion<Void>()
    // Cancellation ends the wait, not the stopping.
    try? await stopper.value {
      let isRunning = state.withLock { state in
        if state.isRunning { state.stoppers.append(stopper) }
        return state.isRunning
      }
      if !isRunning { stopper.finish(.success(())) }
    } abandoned: {
    }
  }

  func requestStop() {
    let lifeline = state.withLock { state in
      defer { state.lifeline = nil }
      // Under the lock, since the thread closes the pipe when it ends.
      if let alarm = state.alarm, !state.isStopping { write(alarm.writing, "!", 1) }
      state.isStopping = true
      return state.lifeline
    }
    if let lifeline { close(lifeline) }
  }

  private func startThread() {
    state.withLock { $0.isRunning = true }
    let context = Unmanaged.passRetained(self)
    let body: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
      guard let pointer else { return }
      Unmanaged<ClusterSupervisor>.fromOpaque(pointer).takeRetainedValue().run()
    }
    let number = swiftwater_start_thread("cluster", body, context.toOpaque())
    guard number != 0 else { return }
    context.release()
    state.withLock { $0.isRunning = false }
    let reason = String(cString: strerror(number))
    started.finish(.failure(PostgresError(.startFailed, "cannot start a thread: \(reason)")))
  }

  // MARK: On the thread

  private func run() {
    do {
      let alarm = try Pipe()
      defer {
        state.withLock { $0.alarm = nil }
        alarm.closeBoth()
      }
      state.withLock { $0.alarm = alarm }
      try operate()
    } catch {
      // After a success this is the end of the supervision, which `start` does not hear.
      started.finish(.failure(error is Stopped ? CancellationError() : error))
    }
    let stoppers = state.withLock { state in
      defer { state.stoppers = [] }
      state.isRunning = false
      return state.stoppers
    }
    for stopper in stoppers { stopper.finish(.success(())) }
  }

  private func operate() throws {
    let user = try ServerUser.needed()
    let socketFolder = try Files.createShortFolder(owner: user)
    let site: ClusterSite
    do throws(PostgresError) {
      site = try ClusterSite(configuration, socketFolder: socketFolder, user: user)
    } catch {
      Files.removeTree(socketFolder)
      throw error
    }
    defer { site.release() }
    state.withLock { state in
      state.socketFolder = site.socketFolder
      state.dataFolder = site.dataFolder
    }
    if !site.isInitialized { try create(site) }
    var server = try launch(site)
    started.finish(.success(()))

    var pause = RestartPause()
    while true {
      let start = ContinuousClock.now
      ChildProcess.wait(for: server.guardIdentifier)
      try ended(server)
      pause.ranFor(.now - start)
      server = try relaunch(site, &pause)
      state.withLock { $0.restartCount += 1 }
    }
  }

  private func create(_ site: ClusterSite) throws {
    try site.prepareCreation()
    let logStart = Files.size(site.logFile)
    let creation = try run(site.creationCommand, at: site)
    let status = ChildProcess.wait(for: creation.guardIdentifier)
    try ended(creation)
    guard status == 0 else { throw site.failure("PostgreSQL's initdb failed", logStart: logStart) }
    try site.completeCreation()
  }

  /// Starts the server and returns when it takes connections.
  private func launch(_ site: ClusterSite) throws -> GuardedProcess {
    try endStaleServer(site)
    let logStart = Files.size(site.logFile)
    let server = try run(site.serverCommand, at: site)
    while PostmasterFile(dataFolder: site.dataFolder)?.isReady != true {
      if ChildProcess.poll(server.guardIdentifier) != nil {
        try ended(server)
        throw site.failure("PostgreSQL did not start", logStart: logStart)
      }
      do {
        try pause(.milliseconds(10))
      } catch {
        ChildProcess.wait(for: server.guardIdentifier)
        throw error
      }
    }
    return server
  }

  /// Starts a server that has died again, until it runs.
  private func relaunch(_ site: ClusterSite, _ delay: inout RestartPause) throws -> GuardedProcess {
    while true {
      try pause(delay.next())
      do {
        return try launch(site)
      } catch is PostgresError {
        // The log has the reason; the next attempt may succeed, for instance when the disk has room again.
      }
    }
  }

  private func run(_ command: [String], at site: ClusterSite) throws -> GuardedProcess {
    let log = try site.openLog()
    defer { close(log) }
    let process = try GuardedProcess.start(command, as: site.user, removing: site.socketFolder, log: log)
    let isStopping = state.withLock { state in
      if !state.isStopping { state.lifeline = process.lifeline }
      return state.isStopping
    }
    if isStopping { close(process.lifeline) }
    return process
  }

  /// Cleans up after a guard that has exited.
  private func ended(_ process: GuardedProcess) throws {
    let lifeline = state.withLock { state in
      defer { state.lifeline = nil }
      return state.isStopping ? nil : state.lifeline
    }
    guard let lifeline else { throw Stopped() }
    // If the guard was killed, its helper would take the closing pipe for our death and remove the socket's folder.
    kill(-process.guardIdentifier, SIGTERM)
    close(lifeline)
  }

  /// The lock is ours, so a server that still runs here has lost its backend.
  private func endStaleServer(_ site: ClusterSite) throws {
    let dataFolder = site.dataFolder
    if let file = PostmasterFile(dataFolder: dataFolder) {
      let start = ContinuousClock.now
      var signal: Int32?
      while file.isAlive(dataFolder: dataFolder) {
        let elapsed = ContinuousClock.now - start
        guard elapsed < .seconds(20) else {
          throw PostgresError(
            .alreadyInUse, "a PostgreSQL server (process \(file.processIdentifier)) runs on \(dataFolder): stop it")
        }
        let wanted = elapsed < .seconds(10) ? SIGINT : SIGQUIT
        if signal != wanted { kill(file.processIdentifier, wanted) }
        signal = wanted
        try pause(.milliseconds(20))
      }
      if let folder = file.socketFolder, folder != site.socketFolder, folder.hasPrefix(Files.shortFolderPrefix),
        !folder.dropFirst(Files.shortFolderPrefix.count).contains("/")
      {
        Files.removeTree(folder)
      }
    }
    // PostgreSQL would hesitate if another process has the dead server's number, and we would take it for a new one.
    unlink(PostmasterFile.path(dataFolder))
  }

  /// Sleeps, or throws as soon as the cluster is to stop.
  private func pause(_ duration: Duration) throws {
    let (alarm, isStopping) = state.withLock { ($0.alarm, $0.isStopping) }
    guard let alarm, !isStopping else { throw Stopped() }
    var request = pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0)
    if poll(&request, 1, Int32(duration / .milliseconds(1))) > 0 { throw Stopped() }
  }
}

/// How long to wait before a server that has died is started again: not at all at first, then ever longer.
struct RestartPause {
  private var failures = 0

  /// A server that ran this long has died.
  mutating func ranFor(_ duration: Duration) {
    if duration > .seconds(10) { failures = 0 }
  }

  mutating func next() -> Duration {
    defer { failures += 1 }
    return failures == 0 ? .zero : min(.seconds(5), .milliseconds(50) * (1 << min(failures, 10)))
  }
}

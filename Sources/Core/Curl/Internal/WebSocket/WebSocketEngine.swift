internal import SwiftwaterSockets
internal import SwiftwaterStreams

/// The thread that owns the WebSockets, as every other thread sees it.
///
/// It is not the thread of HTTP, whose limit of connections per host would count WebSockets, too. It ends with the
/// command `stop`.
package final class WebSocketEngine: Sendable {
  enum Command: Sendable {
    case open(WebSocketClientLink)
    /// There is output.
    case write(WebSocketClientLink)
    /// There is room for input again.
    case read(WebSocketClientLink)
    case close(WebSocketClientLink)
    case stop
  }

  private let configuration: CurlTransport.Configuration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let thread = CurlThread<Command>()
  private let counts = LockIsolated((live: 0, held: 0))

  init(configuration: CurlTransport.Configuration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.configuration = configuration
    self.now = now
  }

  /// How many handles are at work.
  package var liveSocketCount: Int { counts.withLock { $0.live } }
  /// How many of them wait for their reader.
  package var heldSocketCount: Int { counts.withLock { $0.held } }

  /// Starts the thread. If the system refuses, every opening will fail.
  func start() {
    thread.start("swiftwater.ws") { [self] multi in
      let loop = WebSocketLoop(engine: self, multi: multi, configuration: configuration, clock: now)
      loop.run()
      let rest = thread.close()
      loop.close()
      for case .open(let link) in rest { link.fail(Self.shutDownError) }
    }
  }

  /// Hands a command to the thread.
  func submit(_ command: Command) {
    if !thread.submit(command), case .open(let link) = command { link.fail(Self.shutDownError) }
  }

  /// Makes the thread look at the time, which can have been moved on by hand.
  package func wake() { thread.wake() }

  func takeCommands() -> [Command] { thread.takeCommands() }

  func setCounts(live: Int, held: Int) { counts.withLock { $0 = (live, held) } }

  private static let shutDownError = WebSocketError(
    code: .connectionFailed, message: "The transport has been shut down, or its thread could not be started.")
}

internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// The thread that owns the HTTP connections, as every other thread sees it.
///
/// The thread keeps the engine, never the transport. It ends with the command `stop`.
package final class CurlEngine: Sendable {
  enum Command: Sendable {
    case start(Exchange)
    case cancel(Exchange)
    case resumeReceiving(Exchange)
    case resumeSending(Exchange)
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
  package var liveTransferCount: Int { counts.withLock { $0.live } }
  /// How many of them wait for their reader, or for the producer of their request's body.
  package var heldTransferCount: Int { counts.withLock { $0.held } }

  /// Starts the thread. If the system refuses, every exchange will fail.
  func start() {
    thread.start("swiftwater.curl") { [self] multi in
      let loop = CurlLoop(engine: self, multi: multi, configuration: configuration, clock: now)
      loop.run()
      let rest = thread.close()
      loop.close(failing: Self.shutDownError)
      for case .start(let exchange) in rest { exchange.finish(.failure(Self.shutDownError)) }
    }
  }

  /// Hands a command to the thread.
  func submit(_ command: Command) {
    if !thread.submit(command), case .start(let exchange) = command {
      exchange.finish(.failure(Self.shutDownError))
    }
  }

  /// Makes the thread look at the time, which can have been moved on by hand.
  package func wake() { thread.wake() }

  func takeCommands() -> [Command] { thread.takeCommands() }

  func setCounts(live: Int, held: Int) { counts.withLock { $0 = (live, held) } }

  private static let shutDownError = HTTPError(
    kind: .shutDown, message: "The transport has been shut down, or its thread could not be started.")
}

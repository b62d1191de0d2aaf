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
  private let thread = CurlThread<Command>()
  private let liveTransfers = LockIsolated(0)

  init(configuration: CurlTransport.Configuration) {
    self.configuration = configuration
  }

  /// How many handles are at work.
  package var liveTransferCount: Int { liveTransfers.value }

  /// Starts the thread. If the system refuses, every exchange will fail.
  func start() {
    thread.start("swiftwater.curl") { [self] multi in
      let loop = CurlLoop(engine: self, multi: multi, configuration: configuration)
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

  func takeCommands() -> [Command] { thread.takeCommands() }

  func setLiveTransferCount(_ count: Int) { liveTransfers.withLock { $0 = count } }

  private static let shutDownError = HTTPError(
    kind: .shutDown, message: "The transport has been shut down, or its thread could not be started.")
}

internal import CCurl
internal import CSystem
internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// The queue in front of the thread that owns libcurl.
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

  // unsafe: libcurl allows `curl_multi_wakeup` from any thread; every other call is the loop's.
  private struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer

    func wake() { curl_multi_wakeup(multi) }
  }

  private struct State {
    var commands: [Command] = []
    /// Present while the thread runs.
    var waker: Waker?
    var liveTransfers = 0
  }

  private static let prepareLibrary: Void = { curl_global_init(Int(CURL_GLOBAL_ALL)) }()

  private let configuration: CurlTransport.Configuration
  private let state = LockIsolated(State())

  init(configuration: CurlTransport.Configuration) {
    self.configuration = configuration
  }

  /// How many handles are at work.
  package var liveTransferCount: Int { state.withLock { $0.liveTransfers } }

  /// Starts the thread. If the system refuses, every exchange will fail.
  func start() {
    Self.prepareLibrary
    guard let multi = curl_multi_init() else { return }
    let waker = Waker(multi: multi)
    state.withLock { $0.waker = waker }
    let context = Unmanaged.passRetained(self)
    let error = swiftwater_start_thread(
      "swiftwater.curl",
      { context in
        guard let context else { return }
        Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue().run()
      }, context.toOpaque())
    guard error != 0 else { return }
    context.release()
    state.withLock { $0.waker = nil }
    curl_multi_cleanup(multi)
  }

  /// Hands a command to the thread.
  func submit(_ command: Command) {
    let isAccepted = state.withLock { state in
      guard let waker = state.waker else { return false }
      state.commands.append(command)
      // Inside the lock, because the thread frees the handle as soon as it has taken the waker away.
      if state.commands.count == 1 { waker.wake() }
      return true
    }
    if !isAccepted, case .start(let exchange) = command { exchange.finish(.failure(Self.shutDownError)) }
  }

  func takeCommands() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  func setLiveTransferCount(_ count: Int) { state.withLock { $0.liveTransfers = count } }

  private func run() {
    guard let multi = state.withLock({ $0.waker })?.multi else { return }
    let loop = CurlLoop(engine: self, multi: multi, configuration: configuration)
    loop.run()
    let rest = state.withLock { state in
      defer {
        state.commands = []
        state.waker = nil
      }
      return state.commands
    }
    loop.close(failing: Self.shutDownError)
    for case .start(let exchange) in rest { exchange.finish(.failure(Self.shutDownError)) }
    curl_multi_cleanup(multi)
  }

  private static let shutDownError = HTTPError(
    kind: .shutDown, message: "The transport has been shut down, or its thread could not be started.")
}

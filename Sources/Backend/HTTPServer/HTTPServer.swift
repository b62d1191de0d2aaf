public import SwiftwaterHTTP
internal import SwiftwaterStreams

/// An HTTP/1.1 server (RFC 9110, RFC 9112) that answers every request with an async function, over TLS if you like.
///
/// Choose functions by method and path with a `Router`; open WebSockets and streams of events with
/// `ServerResponse.webSocket` and `ServerResponse.events`.
///
/// Requests that two programs could read differently are refused with 400. Bodies stream in both directions, and the
/// slower side sets the pace. Each connection's requests run one after the other, in a task on the global pool, which
/// is cancelled when the client goes away and when the server gives up on it. A client that only shuts down its sending
/// side still gets its answer, but is taken for gone after a second in which there is nothing to send to it.
///
/// - Threading: all members may be used from any task. Releasing the server stops it at once.
public final class HTTPServer: Sendable {
  /// Answers a request.
  ///
  /// An error becomes `500` without its words, an `HTTPServerError` of the request's own becomes its status, and a
  /// `CancellationError` closes the connection.
  public typealias Handler = @Sendable (ServerRequest) async throws -> ServerResponse

  /// Makes an answer that no handler gives. The message is for the client, in one line without secrets.
  public typealias ErrorResponse = @Sendable (_ status: HTTPResponse.Status, _ message: String) -> ServerResponse

  private let configuration: Configuration
  private let handler: Handler
  let engine = LockIsolated<ServerEngine?>(nil)

  /// Describes a server; `start()` makes it listen.
  public init(configuration: Configuration = Configuration(), handler: @escaping Handler) {
    self.configuration = configuration
    self.handler = handler
  }

  deinit { engine.value?.shutDown() }

  /// The port the server listens on while it runs (0 for a local socket), otherwise the configured one.
  public var port: Int { engine.value?.port ?? configuration.port }

  /// Binds the address and begins to answer. A server that has stopped can be started again.
  ///
  /// - Throws: `HTTPServerError`: `.addressInUse`, `.cannotListen`, `.invalidTLS`, or `.alreadyRunning`.
  @concurrent
  public func start() async throws {
    let isRunning = HTTPServerError(code: .alreadyRunning, message: "The server runs already; stop it first.")
    guard engine.value == nil else { throw isRunning }
    let started = try ServerEngine(configuration: configuration, handler: handler)
    let isFirst = engine.withLock { engine in
      guard engine == nil else { return false }
      engine = started
      return true
    }
    guard isFirst else {
      started.shutDown()
      throw isRunning
    }
  }

  /// Refuses new connections, closes idle ones, lets the requests under way finish within the configured grace, then
  /// cancels the rest.
  ///
  /// Returns when all sockets are closed and all handlers have returned; handlers that ignore their cancellation are
  /// left behind after a second. Stopping twice waits for the same end. When the calling task is cancelled, neither the
  /// grace nor that second is waited for.
  public func stop() async {
    guard let running = engine.value else { return }
    await running.stop()
    engine.withLock { engine in
      if engine === running { engine = nil }
    }
  }
}

public import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Performs HTTP exchanges, and opens WebSockets, with the system's libcurl.
///
/// One thread owns every connection. Connections are kept and reused; name resolution, TLS and framing are libcurl's.
/// The `Configuration` says which versions of HTTP are spoken, and decides on redirects, proxies and certificates.
///
/// - The request's target goes on the wire as it is given, and so do its fields, in order (HTTP/2 sends their names in
///   lower case). Added are `Host`, `User-Agent: swiftwater` and `Accept-Encoding` where they are missing, and the
///   framing of the body. A request with `Transfer-Encoding`, or with a `Content-Length` that contradicts the body, is
///   refused.
/// - Content codings are undone, and `Content-Encoding` and `Content-Length` are then removed from the response. A
///   request for `HEAD`, with `Range` or with its own `Accept-Encoding` gets the response as the server sent it.
/// - Redirects are followed unless the configuration says otherwise, without credentials where they lead to another
///   origin. Cookies are not kept.
/// - A kept connection that the server closes instead of answering is replaced by a new one, on which the request is sent
///   again if its method is idempotent (RFC 9110 §9.2.2); a stream body that has been begun prevents it, unless it can
///   be read again. Other requests fail with `.connectionLost`, since the server may have acted on them, unless an
///   HTTP/2 server has said that it has not begun with them.
/// - A kept HTTP/1 connection on which the server has said anything meanwhile is not used again: what it said answers
///   nothing. What arrives at the very moment at which the request goes out cannot be told from its answer.
///
/// - Throws: `HTTPError`; `CancellationError` at once when the task is cancelled; what the producer of a request body
///   throws. Name resolution and connect failures, `connectTimeout` and refusing proxies included, are
///   `.connectionFailed`: the server has not seen the request and a stream body has not been touched. No error tells a
///   query, a field or a password.
/// - Threading: every member may be used from any thread.
public final class CurlTransport: ClientTransport {
  /// A transport for everybody, with the default configuration. It lives as long as the program.
  public static let shared = CurlTransport()

  package let engine: CurlEngine
  private let configuration: Configuration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sockets = LockIsolated(Sockets())

  private struct Sockets {
    var engine: WebSocketEngine?
    var isShutDown = false
  }

  /// Starts the transport's thread.
  ///
  /// The thread ends when the transport has been released, which an unread response body delays, or after `shutdown()`.
  /// Should the system have no thread or descriptor left for it, every `send` fails with `.shutDown`.
  public convenience init(configuration: Configuration = Configuration()) {
    self.init(configuration: configuration, now: { .now })
  }

  /// Takes the time from elsewhere, for idle timeouts and the WebSockets' deadlines. The connect timeout is libcurl's,
  /// which has a clock of its own.
  package init(configuration: Configuration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.configuration = configuration
    self.now = now
    engine = CurlEngine(configuration: configuration, now: now)
    engine.start()
  }

  deinit { shutdown() }

  /// Fails the exchanges that are under way, and all later ones, with `HTTPError` of the kind `.shutDown`, closes the
  /// connections and ends the thread. Returns without waiting for that.
  public func shutdown() {
    engine.submit(.stop)
    let sockets = sockets.withLock { sockets in
      sockets.isShutDown = true
      return sockets.engine
    }
    sockets?.submit(.stop)
  }

  /// The engine of the WebSockets, whose thread starts when it is asked for.
  package func webSocketEngine() -> WebSocketEngine {
    sockets.withLock { sockets in
      if let engine = sockets.engine { return engine }
      let engine = WebSocketEngine(configuration: configuration, now: now)
      if !sockets.isShutDown { engine.start() }
      sockets.engine = engine
      return engine
    }
  }

  /// Sends a request and returns when the head of the response has arrived.
  ///
  /// The response's body holds at most 256 KiB (and what libcurl has at hand) ahead of its reader, then the server has
  /// to wait. A request body that is a stream is read when the connection stands, at most 256 KiB and one chunk ahead.
  /// `request.timeout` counts neither the wait for a free connection nor the time that the reader or the producer
  /// takes; it begins anew with each redirect.
  public func send(_ request: HTTPRequest, body: HTTPBody? = nil) async throws -> (HTTPResponse, HTTPBody) {
    var (request, body) = (request, body)
    var redirects = RedirectFollower(configuration.redirects)
    while true {
      try Task.checkCancellation()
      let exchange = try Exchange(request, body: body, engine: engine)
      exchange.begin()
      let head = try await exchange.head()
      do {
        guard let next = try redirects.next(after: head.response, to: request, body: body) else {
          return answer(of: exchange, head)
        }
        exchange.discard()
        (request, body) = next
      } catch {
        exchange.discard()
        throw error
      }
    }
  }

  private func answer(of exchange: Exchange, _ head: ResponseHead) -> (HTTPResponse, HTTPBody) {
    // A request's body may still be on its way, and is given up with the response.
    guard let length = head.bodyLength ?? (exchange.upload == nil ? nil : .known(0)) else {
      return (head.response, .empty)
    }
    let reader = ResponseReader(exchange: exchange, transport: self)
    return (head.response, HTTPBody(length: length) { try await reader.next() })
  }
}

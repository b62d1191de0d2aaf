#if canImport(Darwin)
  public import Foundation
  public import SwiftwaterHTTP

  /// Performs HTTP exchanges with Foundation's `URLSession`, which speaks what the system speaks: proxies, VPNs, HTTP/3.
  ///
  /// It follows redirects as `CurlTransport` does, keeps neither cookies nor a cache, and undoes content codings.
  /// `request.timeout` is idle time, also while connecting; without one a request waits for a week. Response fields of
  /// one name arrive joined by commas. Targets that are no part of a URL cannot be sent.
  ///
  /// - Throws: `HTTPError`; `CancellationError` at once when the task is cancelled; what the producer of a request body
  ///   throws.
  /// - Threading: every member may be used from any thread.
  public final class URLSessionTransport: ClientTransport {
    /// A transport for everybody, which follows 20 redirects in a row. It lives as long as the program.
    public static let shared = URLSessionTransport()

    package let session: URLSession
    private let redirects: CurlTransport.Redirects

    /// Opens a session, which ends when the transport and the bodies of its responses have been released.
    ///
    /// - Parameters:
    ///   - redirects: what becomes of responses that send the request elsewhere.
    ///   - configuration: how to connect. Cookies, cache, credentials and timeouts are replaced.
    public init(
      redirects: CurlTransport.Redirects = .follow(maximum: 20), configuration: URLSessionConfiguration = .ephemeral
    ) {
      configuration.httpCookieStorage = nil
      configuration.httpShouldSetCookies = false
      configuration.urlCache = nil
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.urlCredentialStorage = nil
      configuration.timeoutIntervalForRequest = URLSessionExchange.longestTime
      session = URLSession(configuration: configuration)
      self.redirects = redirects
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and returns when the head of the response has arrived.
    ///
    /// The response's body holds 256 KiB, and what the system has at hand, ahead of its reader; then the task is
    /// suspended. A request body that is a stream is read when the system asks for it.
    public func send(_ request: HTTPRequest, body: HTTPBody? = nil) async throws -> (HTTPResponse, HTTPBody) {
      var (request, body) = (request, body)
      var follower = RedirectFollower(redirects)
      while true {
        try Task.checkCancellation()
        let exchange = try URLSessionExchange(request, body: body, session: session)
        let reader = URLSessionReader(exchange: exchange, transport: self)
        let head = try await exchange.head()
        guard let next = try follower.next(after: head.response, to: request, body: body) else {
          guard let length = head.bodyLength else { return (head.response, .empty) }
          return (head.response, HTTPBody(length: length) { try await reader.exchange.nextChunk() })
        }
        (request, body) = next
      }
    }
  }

  /// Ends the exchange when nobody can read its response any more.
  private final class URLSessionReader: Sendable {
    let exchange: URLSessionExchange
    private let transport: URLSessionTransport

    init(exchange: URLSessionExchange, transport: URLSessionTransport) {
      self.exchange = exchange
      self.transport = transport
    }

    deinit { exchange.cancel() }
  }
#endif

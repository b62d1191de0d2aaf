package import SwiftwaterEventLoop

extension HTTPServer {
  /// Address, limits and deadlines of a server.
  public struct Configuration: Sendable {
    /// The address to listen on, numeric or a name that the system knows. `127.0.0.1` is reachable from this machine
    /// only.
    public var host = "127.0.0.1"
    /// The port, 0 for any free one.
    public var port = 0
    /// Listen on a local socket with this path (at most about 100 bytes) instead of host and port. A socket that a
    /// program has left behind there is replaced; the file is removed when the server stops.
    public var unixSocketPath: String?
    /// The mode of that file: who may connect. Only the user by default.
    public var unixSocketMode: UInt16 = 0o600
    /// TLS for all connections; nil for none.
    public var tls: TLSConfiguration?
    /// How many threads wait for sockets. They parse and copy; handlers run elsewhere.
    public var loops = 2
    /// A loop of somebody else's in place of these. Handlers run on it, too: they must not block.
    package var sharedLoop: EventLoop?
    /// The largest head in bytes; a larger one is answered with 431.
    public var maximumHeadBytes = 64 * 1024
    /// The largest body of a request in bytes, nil for no limit; a larger one is answered with 413.
    public var maximumBodyBytes: Int? = 50 * 1024 * 1024
    /// How many connections are open at most; more wait in the system's queue.
    public var maximumConnections = 10_000
    /// How long a head may take from its first byte on before it is answered with 408, and a TLS handshake from the
    /// connection on before that is closed.
    public var headTimeout = Duration.seconds(10)
    /// How long a connection may wait for its next request.
    public var keepAliveTimeout = Duration.seconds(75)
    /// The time in which at least 1 KiB of a body must move, in either direction, as long as the client is to move it.
    /// A request that is slower is answered with 408, a response that is slower is broken off.
    public var bodyTimeout = Duration.seconds(30)
    /// How long `stop()` waits for requests under way.
    public var stopGrace = Duration.seconds(10)
    /// How long a WebSocket's handler may go on after the closing handshake. For tests.
    var handlerFarewell = Duration.seconds(5)
    /// Makes the answers that no handler gives: to requests that are malformed, too large or too slow, and in place of
    /// a handler that throws.
    public var errorResponse: ErrorResponse = { ServerResponse.failure($0, message: $1) }

    /// Is called after each exchange, in the task that has answered it and before the connection's next request; nil
    /// costs nothing.
    public var accessLog: (@Sendable (AccessLogEntry) -> Void)?

    /// Loopback, a free port, and the limits above.
    public init() {}
  }
}

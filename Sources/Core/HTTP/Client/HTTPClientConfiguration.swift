/// The HTTP stack that a client is built on: one value for the whole SDK.
public struct HTTPClientConfiguration: Sendable {
  /// Performs the exchanges.
  public var transport: any ClientTransport
  /// Run in order before the SDK's own middlewares and the transport.
  public var middlewares: [any ClientMiddleware]
  /// The idle timeout of requests that set none: the longest time without a byte in either direction.
  public var timeout: Duration

  /// Groups a transport with what stands before it.
  ///
  /// - Parameter timeout: the idle timeout, 60 seconds unless given.
  public init(
    transport: any ClientTransport, middlewares: [any ClientMiddleware] = [], timeout: Duration = .seconds(60)
  ) {
    self.transport = transport
    self.middlewares = middlewares
    self.timeout = timeout
  }
}

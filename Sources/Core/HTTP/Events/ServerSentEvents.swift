/// The events of a body of the type `text/event-stream`, as they arrive.
///
/// It ends when the body ends, and throws what the body throws and what `ServerSentEventParser.parse(_:)` throws. A body
/// is read once, and so are its events. Coming back after the end with `Last-Event-ID` is the caller's affair.
public struct ServerSentEvents: AsyncSequence, Sendable {
  fileprivate let body: HTTPBody
  fileprivate let maximumEventBytes: Int

  /// Reads events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var body: HTTPBody.AsyncIterator
    private var parser: ServerSentEventParser
    private var events: ArraySlice<ServerSentEvent> = []

    fileprivate init(_ events: ServerSentEvents) {
      body = events.body.makeAsyncIterator()
      parser = ServerSentEventParser(maximumEventBytes: events.maximumEventBytes)
    }

    /// The next event; nil at the end of the body.
    public mutating func next() async throws -> ServerSentEvent? {
      while events.isEmpty {
        guard let chunk = try await body.next() else { return nil }
        events = try parser.parse(chunk)[...]
      }
      return events.removeFirst()
    }
  }

  /// Begins reading.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension HTTPBody {
  /// The body read as an event stream.
  ///
  /// - Parameter maximumEventBytes: the size above which an event is refused, 16 MiB unless given.
  public func serverSentEvents(maximumEventBytes: Int = 16 << 20) -> ServerSentEvents {
    ServerSentEvents(body: self, maximumEventBytes: maximumEventBytes)
  }
}

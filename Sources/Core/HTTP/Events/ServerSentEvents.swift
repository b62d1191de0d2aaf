/// The events of an answer of the type `text/event-stream`, as they arrive.
///
/// It ends when the body ends, and throws what the body throws and what `ServerSentEventParser.parse(_:)` throws. For any
/// other answer (WHATWG HTML §9.2.2: a status other than 200, or another type) it throws `HTTPError` of the kind
/// `.invalidResponse` at once and leaves the body to be read. A body is read once, and so are its events. Coming back
/// after the end with `Last-Event-ID` is the caller's affair.
public struct ServerSentEvents: AsyncSequence, Sendable {
  fileprivate let response: HTTPResponse
  fileprivate let body: HTTPBody
  fileprivate let maximumEventBytes: Int

  /// Reads events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let refusal: HTTPError?
    private var body: HTTPBody.AsyncIterator
    private var parser: ServerSentEventParser
    private var events: ArraySlice<ServerSentEvent> = []

    fileprivate init(_ events: ServerSentEvents) {
      refusal = Self.refusal(of: events.response)
      body = events.body.makeAsyncIterator()
      parser = ServerSentEventParser(maximumEventBytes: events.maximumEventBytes)
    }

    /// The next event; nil at the end of the body.
    public mutating func next() async throws -> ServerSentEvent? {
      if let refusal { throw refusal }
      while events.isEmpty {
        guard let chunk = try await body.next() else { return nil }
        events = try parser.parse(chunk)[...]
      }
      return events.removeFirst()
    }

    private static func refusal(of response: HTTPResponse) -> HTTPError? {
      let type = response.headerFields[.contentType]?.prefix { $0 != ";" && $0 != " " } ?? "no type"
      guard response.status != .ok || type.lowercased() != "text/event-stream" else { return nil }
      return HTTPError(kind: .invalidResponse, message: "The answer is no event stream: \(response.status), \(type).")
    }
  }

  /// Begins reading.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension HTTPBody {
  /// The body read as an event stream.
  ///
  /// - Parameters:
  ///   - response: the head that came with the body, which says whether it is one.
  ///   - maximumEventBytes: the size above which an event is refused, 16 MiB unless given.
  public func serverSentEvents(of response: HTTPResponse, maximumEventBytes: Int = 16 << 20) -> ServerSentEvents {
    ServerSentEvents(response: response, body: self, maximumEventBytes: maximumEventBytes)
  }
}

public import SwiftwaterHTTP

extension ServerResponse {
  /// Server-sent events: every element of a sequence goes out as soon as it is there.
  ///
  /// The sequence is iterated once, in the task that answers the request, and ended by that task's cancellation when
  /// the client goes away or the server stops. A client that does not read stops the iteration after 256 KiB. An error
  /// of the sequence breaks the connection, and the client comes back.
  ///
  /// - Parameters:
  ///   - events: the events; its end ends the response, and most clients then come back.
  ///   - headerFields: fields besides `Content-Type` and `Cache-Control`.
  ///   - keepAlive: how long nothing may be sent before a comment shows that the connection lives, nil for never.
  public static func events<Events: AsyncSequence & Sendable>(
    _ events: Events, headerFields: HTTPFields = HTTPFields(), keepAlive: Duration? = .seconds(15)
  ) -> ServerResponse where Events.Element == Event {
    let iteration = Iteration(events)
    var fields = headerFields
    fields[.contentType] = "text/event-stream"
    if !fields.contains(.cacheControl) { fields[.cacheControl] = "no-store" }
    var response = ServerResponse(
      status: .ok, headerFields: fields, body: HTTPBody { try await iteration.next()?.bytes })
    response.openEnd = OpenEnd(keepAlive: keepAlive, filler: Array(":\n\n".utf8))
    return response
  }

  /// A body that has no end of its own: its task is cancelled when the server stops.
  struct OpenEnd: Sendable {
    /// After how long a silence the filler is sent; nil for never.
    let keepAlive: Duration?
    var filler: [UInt8]
  }
}

/// An iterator that begins with the first request for an element.
// unchecked: a body asks for the next chunk only after it has got the last one, from one task.
private final class Iteration<Events: AsyncSequence & Sendable>: @unchecked Sendable
where Events.Element: Sendable {
  private let events: Events
  private var iterator: Events.AsyncIterator?

  init(_ events: Events) { self.events = events }

  func next() async throws -> Events.Element? {
    if iterator == nil { iterator = events.makeAsyncIterator() }
    return try await iterator?.next(isolation: nil)
  }
}

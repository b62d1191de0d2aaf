/// An event as a reader of an event stream gets it (WHATWG HTML §9.2).
///
/// What a server writes is a type of the server's: it may have no data, or be a comment only, and then no reader gets it.
public struct ServerSentEvent: Sendable, Hashable {
  /// The last identifier that the stream has named up to here; a client that comes back sends it as `Last-Event-ID`.
  public var id: String?
  /// What kind of event it is; `message` where the stream does not say.
  public var event: String
  /// The payload; lines are separated by `\n`.
  public var data: String
  /// How long the server asks to wait before coming back, if it has said so since the event before.
  public var retry: Duration?

  /// Describes an event.
  public init(id: String? = nil, event: String = "message", data: String, retry: Duration? = nil) {
    self.id = id
    self.event = event
    self.data = data
    self.retry = retry
  }
}

/// An event of an event stream (WHATWG HTML §9.2).
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

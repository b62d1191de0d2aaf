extension ServerResponse {
  /// An event to send in a `text/event-stream` (HTML standard §9.2).
  public struct Event: Sendable, Hashable {
    /// What the client sends as `Last-Event-ID` when it comes back.
    public var id: String?
    /// The event's type; nil is `message`.
    public var event: String?
    /// The text, of any number of lines. Without it a client takes note of `id` and `retry` but reports no event.
    public var data: String?
    /// How long the client waits before it comes back, in whole milliseconds.
    public var retry: Duration?
    /// What clients ignore.
    public var comment: String?

    /// Describes an event.
    public init(
      id: String? = nil, event: String? = nil, data: String? = nil, retry: Duration? = nil, comment: String? = nil
    ) {
      self.id = id
      self.event = event
      self.data = data
      self.retry = retry
      self.comment = comment
    }

    /// The event on the wire. Line ends in a field that has one line are left out, so that no value becomes a field.
    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      func append(_ name: String, _ value: some Sequence<UInt8>) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: ": ".utf8)
        bytes.append(contentsOf: value)
        bytes.append(.lineFeed)
      }
      func isText(_ byte: UInt8) -> Bool { byte != .lineFeed && byte != .carriageReturn && byte != 0 }
      if let comment { for line in Self.lines(comment) { append("", line) } }
      if let id { append("id", id.utf8.filter(isText)) }
      if let event { append("event", event.utf8.filter(isText)) }
      if let retry { append("retry", "\(Int64(min(max(0, retry / .milliseconds(1)), 1e15)))".utf8) }
      if let data { for line in Self.lines(data) { append("data", line) } }
      bytes.append(.lineFeed)
      return bytes
    }

    /// Splits at CRLF, LF and CR, as clients do.
    private static func lines(_ text: String) -> [Substring.UTF8View] {
      var lines: [Substring.UTF8View] = []
      let utf8 = text.utf8
      var start = utf8.startIndex
      while let end = utf8[start...].firstIndex(where: { $0 == .lineFeed || $0 == .carriageReturn }) {
        lines.append(text[start..<end].utf8)
        start = utf8.index(after: end)
        if utf8[end] == .carriageReturn, start < utf8.endIndex, utf8[start] == .lineFeed {
          start = utf8.index(after: start)
        }
      }
      lines.append(text[start...].utf8)
      return lines
    }
  }
}

/// Reads an event stream (WHATWG HTML §9.2.5–6) from chunks that break anywhere.
///
/// Lines end in CR, LF or CRLF; bytes that are no UTF-8 become U+FFFD; an event that the end of the stream cuts short is
/// dropped, as the standard asks.
public struct ServerSentEventParser: Sendable {
  private let maximumEventBytes: Int
  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var event = ""
  private var id: String?
  private var retry: Duration?
  private var skipsLineFeed = false
  private var isAtStart = true
  /// An event behind those that were returned was too big.
  private var failure: HTTPError?

  /// A parser at the beginning of a stream.
  ///
  /// - Parameter maximumEventBytes: the size above which an event is refused, 16 MiB unless given.
  public init(maximumEventBytes: Int = 16 << 20) {
    self.maximumEventBytes = maximumEventBytes
  }

  /// Takes the next bytes and returns the events that are complete with them.
  ///
  /// - Throws: `HTTPError` of the kind `.bodyTooLarge` when an event exceeds the limit, once the events before it have been
  ///   returned; the stream is then of no use.
  public mutating func parse(_ bytes: some Collection<UInt8>) throws(HTTPError) -> [ServerSentEvent] {
    if let failure { throw failure }
    var events: [ServerSentEvent] = []
    do throws(HTTPError) {
      try parse(bytes, into: &events)
    } catch {
      // What is complete is delivered first, wherever the network has cut.
      failure = error
      if events.isEmpty { throw error }
    }
    return events
  }

  private mutating func parse(
    _ bytes: some Collection<UInt8>, into events: inout [ServerSentEvent]
  ) throws(HTTPError) {
    var rest = bytes[...]
    if skipsLineFeed, let first = rest.first {
      skipsLineFeed = false
      if first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
    }
    while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      try append(rest[..<end])
      let isReturn = rest[end] == UInt8(ascii: "\r")
      rest = rest[rest.index(after: end)...]
      if isReturn {
        if rest.isEmpty { skipsLineFeed = true } else if rest.first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
      }
      if let event = endLine() { events.append(event) }
    }
    try append(rest)
  }

  private mutating func append(_ bytes: some Collection<UInt8>) throws(HTTPError) {
    guard line.count + data.count + bytes.count <= maximumEventBytes else {
      throw HTTPError.bodyTooLarge(limit: maximumEventBytes)
    }
    line.append(contentsOf: bytes)
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: line.capacity <= 64 << 10) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    if line.isEmpty { return dispatch() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data":
      if hasData { data.append(UInt8(ascii: "\n")) }
      hasData = true
      data.append(contentsOf: value)
    case "event":
      event = String(decoding: value, as: UTF8.self)
    case "id":
      if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    case "retry":
      if !value.isEmpty, value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let milliseconds = Int64(String(decoding: value, as: UTF8.self))
      {
        retry = .milliseconds(milliseconds)
      }
    default:
      break  // a comment, or a field that the standard does not know
    }
    return nil
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      event = ""
      hasData = false
      data.removeAll(keepingCapacity: data.capacity <= 64 << 10)
    }
    guard hasData else { return nil }
    defer { retry = nil }
    return ServerSentEvent(
      id: id, event: event.isEmpty ? "message" : event, data: String(decoding: data, as: UTF8.self), retry: retry)
  }
}

/// Received messages that nobody has taken yet, in order.
struct WebSocketInbox {
  /// What a message costs beside its payload, so that empty ones cannot pile up either.
  private static let overhead = 32

  private var messages: [WebSocketMessage] = []
  private var first = 0
  /// About how much memory the messages take.
  private(set) var byteCount = 0

  var isEmpty: Bool { first == messages.count }

  mutating func append(_ message: WebSocketMessage) {
    byteCount += Self.cost(of: message)
    messages.append(message)
  }

  mutating func popFirst() -> WebSocketMessage? {
    guard first < messages.count else { return nil }
    var message = WebSocketMessage.binary([])
    swap(&message, &messages[first])
    first += 1
    byteCount -= Self.cost(of: message)
    if first == messages.count {
      first = 0
      messages.removeAll(keepingCapacity: messages.capacity <= 4)
    } else if first >= 1024, first * 2 >= messages.count {
      // What has been taken goes once it outweighs the rest, so that every message moves once on average.
      messages.removeFirst(first)
      first = 0
    }
    return message
  }

  mutating func removeAll() {
    messages = []
    first = 0
    byteCount = 0
  }

  private static func cost(of message: WebSocketMessage) -> Int {
    switch message {
    case .text(let text): text.utf8.count + overhead
    case .binary(let bytes): bytes.count + overhead
    }
  }
}

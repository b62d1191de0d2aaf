@testable import SwiftwaterSockets

/// A session on a test's bench, with a clock that is a number of seconds.
struct SessionBench {
  static let start = ContinuousClock.now
  var session: WebSocketSession

  init(
    _ role: WebSocketRole, compression: DeflateParameters? = nil,
    configuration: WebSocketConfiguration = WebSocketConfiguration()
  ) {
    session = WebSocketSession(
      role: role, compression: compression, configuration: configuration, now: Self.start)
  }

  /// Hands in bytes, in parts of that size; returns how many were taken.
  @discardableResult
  mutating func receive(_ bytes: [UInt8], at seconds: Double = 0, partSize: Int = .max) -> Int {
    var taken = 0
    while taken < bytes.count {
      let part = Array(bytes[taken..<min(bytes.count, taken + min(partSize, bytes.count))])
      let count = part.withUnsafeBytes { session.receive($0, at: Self.start + .seconds(seconds)) }
      taken += count
      if count < part.count { break }
    }
    return taken
  }

  /// Hands in frames as the peer sends them.
  mutating func receive(_ frames: RawFrame..., at seconds: Double = 0) {
    let bytes = frames.flatMap { session.role == .server ? $0.masked().bytes : $0.bytes }
    receive(bytes, at: seconds)
  }

  /// The messages that have arrived, taken.
  mutating func messages() -> [WebSocketMessage] {
    var messages: [WebSocketMessage] = []
    while let message = session.takeMessage() { messages.append(message) }
    return messages
  }

  /// The frames that were to be sent, taken.
  mutating func sent() -> [SentFrame] {
    var bytes: [UInt8] = []
    while let chunk = session.takeOutput() { bytes += chunk }
    return SentFrame.all(in: bytes)
  }

  /// The application has dealt with what it has taken, and asks for the next message.
  mutating func ask() { session.answerCloseIfDue() }

  mutating func send(_ text: String) { Array(text.utf8).withUnsafeBytes { session.send(.text, $0) } }

  /// The next moment in seconds; nil for none.
  mutating func tick(_ seconds: Double, isReadingPaused: Bool = false) -> Double? {
    session.tick(Self.start + .seconds(seconds), isReadingPaused: isReadingPaused).map {
      ($0 - Self.start) / .seconds(1)
    }
  }

  /// How the session has ended, in short: nil, "clean", or the error's code.
  var end: String? {
    switch session.end {
    case nil: nil
    case .success: "clean"
    case .failure(let error): error.code.rawValue
    }
  }
}

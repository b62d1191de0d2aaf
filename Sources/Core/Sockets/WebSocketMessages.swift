/// The messages of a connection as a sequence, for one task.
///
/// - End: nil after the closing handshake, and when the task is cancelled; the connection then goes on, and another
///   loop takes up where this one has stopped.
/// - Failure: ``WebSocketError`` when the connection ends in any other way.
/// - Buffering: the connection's own; the peer is held back when it is full.
public struct WebSocketMessages: AsyncSequence, Sendable {
  /// What the sequence consists of.
  public typealias Element = WebSocketMessage

  let connection: any WebSocketConnection

  /// An iterator over the messages that have not been received yet.
  public func makeAsyncIterator() -> Iterator { Iterator(connection: connection) }

  /// Receives from the connection; holds nothing itself.
  public struct Iterator: AsyncIteratorProtocol {
    let connection: any WebSocketConnection

    /// The next message.
    public mutating func next() async throws -> WebSocketMessage? {
      try await next(isolation: #isolation)
    }

    /// The next message.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> WebSocketMessage? {
      do {
        return try await connection.receive()
      } catch is CancellationError {
        return nil
      }
    }
  }
}

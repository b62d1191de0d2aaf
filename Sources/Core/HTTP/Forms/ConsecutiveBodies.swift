/// The chunks of several bodies, one body after the other.
struct ConsecutiveBodies: AsyncSequence, Sendable {
  let bodies: [HTTPBody]

  struct AsyncIterator: AsyncIteratorProtocol {
    var waiting: ArraySlice<HTTPBody>
    var current: HTTPBody.AsyncIterator?

    mutating func next() async throws -> [UInt8]? {
      while true {
        if let chunk = try await current?.next() { return chunk }
        guard let body = waiting.popFirst() else { return nil }
        current = body.makeAsyncIterator()
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(waiting: bodies[...], current: nil) }
}

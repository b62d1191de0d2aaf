extension HTTPBody {
  /// The chunks of a sequence.
  ///
  /// - Parameters:
  ///   - sequence: its chunks are taken as fast as the reader reads; what buffers in front of that is the sequence's own
  ///     affair.
  ///   - length: the number of bytes, if known. A transport fails when another number arrives.
  ///   - iterationBehavior: `.multiple` for a sequence that gives the same chunks to each iterator.
  public init<Chunks: AsyncSequence & Sendable>(
    _ sequence: Chunks, length: Length = .unknown, iterationBehavior: IterationBehavior = .single
  ) where Chunks.Element == [UInt8] {
    storage = .stream(
      HTTPBodyStream(iterationBehavior: iterationBehavior) {
        let iterator = SerialIterator(sequence.makeAsyncIterator())
        return { try await iterator.next() }
      })
    self.length = length
  }
}

/// An iterator that moves between the threads of one reader.
// A body has one reader, who asks again only after the answer: the iterator is never used by two at a time.
private final class SerialIterator<Base: AsyncIteratorProtocol>: @unchecked Sendable {
  private var base: Base

  init(_ base: Base) { self.base = base }

  func next() async throws -> Base.Element? { try await base.next() }
}

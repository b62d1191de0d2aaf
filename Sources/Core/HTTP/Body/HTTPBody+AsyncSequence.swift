extension HTTPBody: AsyncSequence {
  /// A chunk of bytes, never empty.
  public typealias Element = [UInt8]

  /// Reads a body chunk by chunk.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private enum Source {
      case bytes([UInt8])
      case unclaimed(HTTPBodyStream)
      case claimed(HTTPBodyStream.Producer)
      case finished
    }

    private var source: Source

    fileprivate init(_ body: HTTPBody) {
      switch body.storage {
      case .bytes(let bytes): source = bytes.isEmpty ? .finished : .bytes(bytes)
      case .stream(let stream): source = .unclaimed(stream)
      }
    }

    /// The next chunk; nil at the end.
    ///
    /// - Throws: what the producer throws, `CancellationError` when the task is cancelled, `HTTPError` when the body
    ///   has been read before.
    public mutating func next() async throws -> [UInt8]? {
      let producer: HTTPBodyStream.Producer
      switch source {
      case .bytes(let bytes):
        source = .finished
        return bytes
      case .finished:
        return nil
      case .unclaimed(let stream):
        producer = try await stream.claim()
        source = .claimed(producer)
      case .claimed(let claimed):
        producer = claimed
      }
      do {
        while let chunk = try await producer() {
          if !chunk.isEmpty { return chunk }
        }
        source = .finished
        return nil
      } catch {
        source = .finished
        // Whatever a producer makes of it.
        try Task.checkCancellation()
        throw error
      }
    }
  }

  /// Begins reading. The stream is claimed by the first call of `next()`.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension HTTPBody {
  /// The first bytes, up to a limit; what follows is not read.
  package func collect(atMost limit: Int) async throws -> [UInt8] {
    var collected: [UInt8] = []
    for try await chunk in self {
      collected.append(contentsOf: chunk.prefix(limit - collected.count))
      if collected.count >= limit { break }
    }
    return collected
  }

  /// All bytes, up to a limit.
  ///
  /// - Parameter limit: the largest number of bytes to take.
  /// - Throws: `HTTPError` of the kind `.bodyTooLarge` when there are more, and what iteration throws.
  public func collect(upTo limit: Int) async throws -> [UInt8] {
    if case .bytes(let bytes) = storage {
      guard bytes.count <= limit else { throw HTTPError.bodyTooLarge(limit: limit) }
      return bytes
    }
    var collected: [UInt8] = []
    if case .known(let length) = length {
      guard length <= limit else { throw HTTPError.bodyTooLarge(limit: limit) }
      // What the peer announces is only a claim: memory for more comes with the bytes.
      if length > 0 { collected.reserveCapacity(Int(Swift.min(length, 1 << 20))) }
    }
    for try await chunk in self {
      guard collected.count + chunk.count <= limit else { throw HTTPError.bodyTooLarge(limit: limit) }
      if collected.isEmpty, collected.capacity == 0 { collected = chunk } else { collected.append(contentsOf: chunk) }
    }
    return collected
  }
}

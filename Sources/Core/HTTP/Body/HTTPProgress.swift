/// How far a body has come.
public struct HTTPProgress: Sendable, Hashable {
  /// The bytes that have passed.
  public let completedBytes: Int64
  /// The bytes there are in all, where that is known.
  public let totalBytes: Int64?

  /// Says how far it is.
  public init(completedBytes: Int64, totalBytes: Int64?) {
    self.completedBytes = completedBytes
    self.totalBytes = totalBytes
  }

  /// The part that has passed, 0 to 1, where the whole is known.
  public var fraction: Double? {
    totalBytes.map { $0 > 0 ? Double(completedBytes) / Double($0) : 1 }
  }
}

extension HTTPBody {
  /// The same body, telling as it is read how far it has come.
  ///
  /// On a request that is the bytes handed to the transport, which holds at most some hundred KiB in front of the
  /// network; on a response, those handed to the reader. Each reading counts from zero. `report` is called on the task
  /// that reads, after each chunk, and holds it up meanwhile.
  public func reportingProgress(_ report: @escaping @Sendable (HTTPProgress) -> Void) -> HTTPBody {
    HTTPBody(
      ReportedChunks(body: inSmallChunks, total: totalBytes, report: report), length: length,
      iterationBehavior: iterationBehavior)
  }

  private var totalBytes: Int64? {
    switch length {
    case .known(let length): length
    case .unknown: nil
    }
  }

  /// Bytes at hand would be one chunk, and their progress one step.
  private var inSmallChunks: HTTPBody {
    guard case .bytes(let bytes) = storage, bytes.count > Self.smallChunk else { return self }
    return HTTPBody(SmallChunks(bytes: bytes, size: Self.smallChunk), length: length, iterationBehavior: .multiple)
  }

  private static let smallChunk = 64 << 10
}

private struct SmallChunks: AsyncSequence, Sendable {
  let bytes: [UInt8]
  let size: Int

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<UInt8>
    let size: Int

    mutating func next() -> [UInt8]? {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: bytes[...], size: size) }
}

private struct ReportedChunks: AsyncSequence, Sendable {
  let body: HTTPBody
  let total: Int64?
  let report: @Sendable (HTTPProgress) -> Void

  struct Iterator: AsyncIteratorProtocol {
    var base: HTTPBody.AsyncIterator
    var completed: Int64 = 0
    let total: Int64?
    let report: @Sendable (HTTPProgress) -> Void

    mutating func next() async throws -> [UInt8]? {
      guard let chunk = try await base.next() else { return nil }
      completed += Int64(chunk.count)
      report(HTTPProgress(completedBytes: completed, totalBytes: total))
      return chunk
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: body.makeAsyncIterator(), total: total, report: report)
  }
}

internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// The bounded queue between a connection that receives a request's body and the handler that reads it.
///
/// The connection pushes until the queue is full; the reader takes chunk by chunk. `onDemand` is called, outside the
/// lock, when the reader asks for the first time and when a full queue has drained to half.
final class BodyChannel: Sendable {
  /// The reader to resume, after the pusher has left its own lock.
  struct Wakeup: Sendable {
    fileprivate let reader: CheckedContinuation<[UInt8]?, any Error>
    fileprivate let result: Result<[UInt8]?, any Error>

    func perform() { reader.resume(with: result) }
  }

  private enum End: Sendable {
    case finished
    case failed(HTTPServerError)
  }

  private struct State: Sendable {
    /// Chunks in order, the taken ones at the front replaced by empty arrays.
    var chunks: [[UInt8]] = []
    var first = 0
    var count = 0
    var isFull = false
    var hasBeenRead = false
    var end: End?
    var reader: CheckedContinuation<[UInt8]?, any Error>?

    /// Joins small chunks: an array costs more than the few bytes that a client may send at a time.
    mutating func append(_ chunk: [UInt8]) {
      count += chunk.count
      if let last = chunks.indices.last, chunks[last].count + chunk.count <= BodyChannel.joinedSize {
        chunks[last].append(contentsOf: chunk)
      } else {
        chunks.append(chunk)
      }
    }

    mutating func take() -> [UInt8]? {
      guard first < chunks.count else { return nil }
      let chunk = chunks[first]
      chunks[first] = []
      first += 1
      // A steady reader may never let it run empty.
      if first == chunks.count || first > 32 && first > chunks.count / 2 {
        chunks.removeFirst(first)
        first = 0
      }
      count -= chunk.count
      return chunk
    }
  }

  private enum Attempt: Sendable {
    case chunk([UInt8]?)
    case failed(any Error)
    case wait
  }

  /// Up to which size chunks are joined.
  private static let joinedSize = 4096

  private let capacity: Int
  private let onDemand: @Sendable (BodyChannel) -> Void
  private let state = LockIsolated(State())

  init(capacity: Int = 1 << 20, onDemand: @escaping @Sendable (BodyChannel) -> Void) {
    self.capacity = capacity
    self.onDemand = onDemand
  }

  /// The bytes that wait for the reader.
  var count: Int { state.withLock { $0.count } }
  /// The places for chunks, taken ones included.
  var slotCount: Int { state.withLock { $0.chunks.count } }
  /// Whether the reader waits at this moment.
  var isAwaited: Bool { state.withLock { $0.reader != nil } }

  /// Adds a chunk; `isFull` asks the pusher to stop until the next demand.
  func push(_ chunk: [UInt8]) -> (wakeup: Wakeup?, isFull: Bool) {
    state.withLock { state in
      guard state.end == nil else { return (nil, false) }
      if let reader = state.reader {
        state.reader = nil
        return (Wakeup(reader: reader, result: .success(chunk)), false)
      }
      state.append(chunk)
      if state.count >= capacity { state.isFull = true }
      return (nil, state.isFull)
    }
  }

  /// Ends the body, with an error if it is incomplete. What has been pushed stays readable. Only the first call counts.
  func finish(throwing error: HTTPServerError? = nil) -> Wakeup? {
    state.withLock { state in
      guard state.end == nil else { return nil }
      state.end = error.map(End.failed) ?? .finished
      guard let reader = state.reader else { return nil }
      state.reader = nil
      return Wakeup(reader: reader, result: error.map { .failure($0) } ?? .success(nil))
    }
  }

  /// The next chunk, nil at the end.
  func next() async throws -> [UInt8]? {
    switch attempt(waiting: nil) {
    case .chunk(let chunk): return chunk
    case .failed(let error): throw error
    case .wait: break
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reader in
        switch attempt(waiting: reader) {
        case .chunk(let chunk): reader.resume(returning: chunk)
        case .failed(let error): reader.resume(throwing: error)
        // A cancellation that came before the reader waited has found nobody to resume.
        case .wait: if Task.isCancelled { cancel() }
        }
      }
    } onCancel: {
      cancel()
    }
  }

  private func attempt(waiting reader: CheckedContinuation<[UInt8]?, any Error>?) -> Attempt {
    let (attempt, isDemand): (Attempt, Bool) = state.withLock { state in
      if let chunk = state.take() {
        let hasDrained = state.isFull && state.count <= capacity / 2
        if hasDrained { state.isFull = false }
        return (.chunk(chunk), hasDrained)
      }
      switch state.end {
      case .finished: return (.chunk(nil), false)
      case .failed(let error): return (.failed(error), false)
      case nil: break
      }
      guard state.reader == nil else {
        return (.failed(HTTPError(kind: .bodyAlreadyRead, message: "This body is being read by another task.")), false)
      }
      state.reader = reader
      defer { state.hasBeenRead = true }
      return (.wait, !state.hasBeenRead)
    }
    if isDemand { onDemand(self) }
    return attempt
  }

  private func cancel() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(throwing: CancellationError())
  }
}

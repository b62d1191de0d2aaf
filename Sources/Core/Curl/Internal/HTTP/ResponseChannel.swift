internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Carries one response from the engine's thread to its reader.
///
/// Every call returns what is to be done now, outside the lock.
final class ResponseChannel: Sendable {
  /// From so many buffered bytes on the transfer pauses.
  static let limit = 262_144

  /// So many bytes of a body that nobody wants are taken, before the transfer is given up.
  static let discardLimit = 65_536

  /// A waiting caller and what it has been waiting for.
  struct Arrival<Value: Sendable>: Sendable {
    let continuation: CheckedContinuation<Value, any Error>
    let result: Result<Value, any Error>

    func resume() { continuation.resume(with: result) }
  }

  /// What is to be done.
  struct Delivery: Sendable {
    var head: Arrival<ResponseHead>?
    var chunk: Arrival<[UInt8]?>?
    /// There is room again in a channel that has refused bytes.
    var resumesReceiving = false
  }

  /// What became of bytes that arrived.
  enum Reception {
    case taken
    /// Nothing was taken: keep the bytes until the reader has caught up.
    case full
    /// Nobody wants them.
    case refused
  }

  private let state = LockIsolated(State())

  // The engine's side.

  /// Stores the head. Nobody is woken before `flush()`.
  func receive(_ head: ResponseHead) { state.withLock { $0.head = head } }

  /// Stores bytes of the body. Nobody is woken before `flush()`.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
    // unsafe: the pointer is used before withLock returns and not kept.
    nonisolated(unsafe) let bytes = bytes
    return state.withLock { $0.receive(bytes) }
  }

  /// Delivers what has arrived since the last time.
  func flush() -> Delivery { state.withLock { $0.deliver() } }

  /// Ends the response, behind the bytes that are still buffered. Tells whether it had not ended before.
  func finish(_ result: Result<Void, any Error>) -> (wasRunning: Bool, Delivery) {
    state.withLock { $0.finish(result) }
  }

  /// Whether the response has ended, or has been given up.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

  // The reader's side.

  /// Registers the one who waits for the head.
  func awaitHead(_ continuation: CheckedContinuation<ResponseHead, any Error>) -> Delivery {
    state.withLock { $0.awaitHead(continuation) }
  }

  /// What one who waits for bytes would get at once; nil if there is nothing yet.
  func takeChunk() -> (result: Result<[UInt8]?, any Error>, resumesReceiving: Bool)? {
    state.withLock { $0.takeChunk() }
  }

  /// Registers the one who waits for bytes.
  func awaitChunk(_ continuation: CheckedContinuation<[UInt8]?, any Error>) -> Delivery {
    state.withLock { $0.awaitChunk(continuation) }
  }

  /// Drops what is buffered and what comes, up to a limit behind which bytes are refused.
  func discard() -> Delivery { state.withLock { $0.discard() } }

  /// Ends the response at once: what is buffered is dropped. Tells whether it had not ended before.
  func cancel() -> (wasRunning: Bool, Delivery) {
    let (replaced, delivery) = state.withLock { $0.cancel() }
    return (replaced == nil, delivery)
  }
}

extension ResponseChannel {
  private struct State {
    var head: ResponseHead?
    private var headWaiter: CheckedContinuation<ResponseHead, any Error>?
    private var buffer: [UInt8] = []
    private var chunkWaiter: CheckedContinuation<[UInt8]?, any Error>?
    private(set) var end: Result<Void, any Error>?
    private var isPaused = false
    /// How many more bytes are taken without being kept; nil as long as somebody wants them.
    private var discardable: Int?

    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
      guard end == nil else { return .refused }
      if let discardable {
        self.discardable = discardable - bytes.count
        return bytes.count <= discardable ? .taken : .refused
      }
      guard buffer.count < ResponseChannel.limit else {
        isPaused = true
        return .full
      }
      buffer.append(contentsOf: bytes)
      return .taken
    }

    mutating func finish(_ result: Result<Void, any Error>) -> (wasRunning: Bool, Delivery) {
      let wasRunning = end == nil
      end = end ?? result
      return (wasRunning, deliver())
    }

    mutating func discard() -> Delivery {
      defer { isPaused = false }
      discardable = ResponseChannel.discardLimit - buffer.count
      buffer = []
      return Delivery(resumesReceiving: isPaused)
    }

    /// Returns the former end, which may hold a caller's error, so that it is released outside the lock.
    mutating func cancel() -> (replaced: Result<Void, any Error>?, Delivery) {
      let replaced = end
      end = .failure(CancellationError())
      head = nil
      buffer = []
      isPaused = false
      return (replaced, deliver())
    }

    mutating func awaitHead(_ continuation: CheckedContinuation<ResponseHead, any Error>) -> Delivery {
      headWaiter = continuation
      return deliver()
    }

    mutating func awaitChunk(_ continuation: CheckedContinuation<[UInt8]?, any Error>) -> Delivery {
      guard chunkWaiter == nil else {
        let error = HTTPError(kind: .bodyAlreadyRead, message: "This body is being read by another task.")
        return Delivery(chunk: Arrival(continuation: continuation, result: .failure(error)))
      }
      chunkWaiter = continuation
      return deliver()
    }

    /// Matches those who wait with what is there.
    mutating func deliver() -> Delivery {
      var delivery = Delivery()
      if let continuation = headWaiter, let result = headOutcome {
        headWaiter = nil
        delivery.head = Arrival(continuation: continuation, result: result)
      }
      guard let continuation = chunkWaiter, let (result, resumesReceiving) = nextChunk() else { return delivery }
      chunkWaiter = nil
      delivery.chunk = Arrival(continuation: continuation, result: result)
      delivery.resumesReceiving = resumesReceiving
      return delivery
    }

    mutating func takeChunk() -> (result: Result<[UInt8]?, any Error>, resumesReceiving: Bool)? {
      // A second reader is refused where it would have to wait.
      chunkWaiter == nil ? nextChunk() : nil
    }

    private mutating func nextChunk() -> (result: Result<[UInt8]?, any Error>, resumesReceiving: Bool)? {
      guard !buffer.isEmpty else { return end.map { ($0.map { nil }, false) } }
      defer {
        buffer = []
        isPaused = false
      }
      return (.success(buffer), isPaused)
    }

    private var headOutcome: Result<ResponseHead, any Error>? {
      if let head { return .success(head) }
      switch end {
      case nil: return nil
      case .failure(let error): return .failure(error)
      case .success:
        return .failure(HTTPError(kind: .connectionLost, message: "The connection ended before a final response."))
      }
    }
  }
}

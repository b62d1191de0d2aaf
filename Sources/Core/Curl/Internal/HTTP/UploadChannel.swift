internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Carries a streamed request body from its producer to the engine's thread.
///
/// One task pulls the producer: not before the connection wants bytes, and only while there is room. Nothing is pulled
/// from a body whose connection never came about. A body that can be read again is, when the engine has to begin again;
/// the task of the former reading is cancelled then, and what it still says is ignored.
final class UploadChannel: Sendable {
  /// From so many buffered bytes on the producer waits.
  static let limit = 262_144

  /// What the channel has to tell.
  enum Event: Sendable {
    /// There are bytes, or the end, for a transfer that has been told to wait.
    case resume
    /// The producer failed, or its bytes are not as many as announced.
    case failure(any Error)
  }

  /// The answer to the engine's wish for bytes.
  enum Supply: Equatable {
    /// So many bytes were written.
    case bytes(Int)
    /// The body is complete.
    case end
    /// `Event.resume` will follow.
    case wait
  }

  private let state: LockIsolated<State>

  /// - Parameter length: the number of bytes that the request announces, nil if it announces none.
  init(_ body: HTTPBody, length: Int64?) {
    state = LockIsolated(State(body: body, length: length))
  }

  /// Starts the task that pulls the body. It ends with the body, by its failure or by `close()`.
  func start(onEvent: @escaping @Sendable (Event) -> Void) {
    guard let (body, reading) = state.withLock({ $0.beginReading() }) else { return }
    let task = Task(name: "swiftwater.curl.upload") { [self] in
      do {
        try await pull(body, reading, onEvent: onEvent)
      } catch {
        let isCurrent = state.withLock { $0.isCurrent(reading) }
        if isCurrent { onEvent(.failure(error)) }
      }
    }
    let isWanted = state.withLock { $0.own(task, of: reading) }
    if !isWanted { task.cancel() }
  }

  /// Goes back to the first byte, which takes a new reading of the body if bytes have been handed to the engine.
  /// Returns whether that is possible.
  func rewind(onEvent: @escaping @Sendable (Event) -> Void) -> Bool {
    switch state.withLock({ $0.rewind() }) {
    case .notNeeded: return true
    case .impossible: return false
    case .reread(let task, let waiter):
      task?.cancel()
      waiter?.resume(throwing: CancellationError())
      start(onEvent: onEvent)
      return true
    }
  }

  /// Fills `buffer`; called by the engine.
  func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Supply {
    // unsafe: the pointer is used before withLock returns and not kept.
    nonisolated(unsafe) let buffer = buffer
    let (supply, waiter) = state.withLock { $0.supply(buffer) }
    waiter?.resume()
    return supply
  }

  /// Ends the task. Nothing is said any more.
  func close() {
    let (body, task, waiter) = state.withLock { $0.close() }
    task?.cancel()
    waiter?.resume(throwing: CancellationError())
    // The caller's, which is let go here, outside the lock.
    withExtendedLifetime(body) {}
  }

  private func pull(_ body: HTTPBody, _ reading: Int, onEvent: @Sendable (Event) -> Void) async throws {
    var chunks = body.makeAsyncIterator()
    while true {
      try await waitForRoom(reading)
      let chunk = try await chunks.next()
      if try state.withLock({ state throws in try state.produce(chunk, of: reading) }) { onEvent(.resume) }
      if chunk == nil { return }
    }
  }

  private func waitForRoom(_ reading: Int) async throws {
    // Cancelled by close() and rewind() only, which cancel the task and resume the waiter as well.
    try await withCheckedThrowingContinuation { continuation in
      state.withLock { $0.awaitRoom(continuation, of: reading) }?.resume()
    }
  }
}

extension UploadChannel {
  private struct State {
    typealias Waiter = CheckedContinuation<Void, any Error>

    enum Rewinding {
      case notNeeded
      case impossible
      case reread(Task<Void, Never>?, Waiter?)
    }

    struct Resumption: Sendable {
      let continuation: Waiter
      let result: Result<Void, any Error>

      func resume() { continuation.resume(with: result) }
    }

    /// Nil when the channel is closed.
    private var body: HTTPBody?
    private let length: Int64?
    /// The number of the reading that counts.
    private var reading = 0
    private var queue = ByteQueue()
    private var produced: Int64 = 0
    private var supplied: Int64 = 0
    /// The connection stands and has asked for bytes.
    private var isWanted = false
    /// The engine has been told to wait.
    private var isStarving = false
    private var isComplete = false
    private var waiter: Waiter?
    private var task: Task<Void, Never>?

    init(body: HTTPBody, length: Int64?) {
      self.body = body
      self.length = length
    }

    mutating func beginReading() -> (HTTPBody, Int)? {
      reading += 1
      return body.map { ($0, reading) }
    }

    func isCurrent(_ reading: Int) -> Bool { body != nil && reading == self.reading }

    /// Returns whether the task is to go on.
    mutating func own(_ task: Task<Void, Never>, of reading: Int) -> Bool {
      guard isCurrent(reading) else { return false }
      if !isComplete { self.task = task }
      return true
    }

    mutating func awaitRoom(_ continuation: Waiter, of reading: Int) -> Resumption? {
      guard isCurrent(reading) else {
        return Resumption(continuation: continuation, result: .failure(CancellationError()))
      }
      if hasRoom { return Resumption(continuation: continuation, result: .success(())) }
      waiter = continuation
      return nil
    }

    /// Takes a chunk, or nil for the end. Returns whether the engine waits for it.
    mutating func produce(_ chunk: [UInt8]?, of reading: Int) throws -> Bool {
      guard isCurrent(reading) else { throw CancellationError() }
      produced += Int64(chunk?.count ?? 0)
      if let length, produced > length || (chunk == nil && produced < length) {
        throw HTTPError(
          kind: .invalidRequest,
          message: "The request's body was announced with \(length) bytes, but it has "
            + (chunk == nil ? "only \(produced)." : "more."))
      }
      if let chunk {
        queue.append(chunk)
      } else {
        isComplete = true
        task = nil
      }
      defer { isStarving = false }
      return isStarving
    }

    mutating func supply(_ buffer: UnsafeMutableRawBufferPointer) -> (Supply, Waiter?) {
      isWanted = true
      // The last byte stays until the producer has confirmed the end: a body that turns out too long must not have
      // become a complete request.
      let isWithheld = length.map { $0 == produced && !isComplete } ?? false
      let available = isWithheld ? max(0, queue.count - 1) : queue.count
      let count = queue.take(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(available)))
      supplied += Int64(count)
      let supply: Supply = count > 0 ? .bytes(count) : isComplete ? .end : .wait
      isStarving = supply == .wait
      guard hasRoom, let continuation = waiter else { return (supply, nil) }
      waiter = nil
      return (supply, continuation)
    }

    mutating func rewind() -> Rewinding {
      if supplied == 0 { return .notNeeded }
      guard body?.iterationBehavior == .multiple else { return .impossible }
      defer {
        queue = ByteQueue()
        (produced, supplied) = (0, 0)
        (isStarving, isComplete) = (false, false)
        (task, waiter) = (nil, nil)
        // From now on what the former reading says does not count.
        reading += 1
      }
      return .reread(task, waiter)
    }

    mutating func close() -> (HTTPBody?, Task<Void, Never>?, Waiter?) {
      defer {
        body = nil
        queue = ByteQueue()
        (task, waiter) = (nil, nil)
      }
      return (body, task, waiter)
    }

    private var hasRoom: Bool { isWanted && queue.count < UploadChannel.limit }
  }
}

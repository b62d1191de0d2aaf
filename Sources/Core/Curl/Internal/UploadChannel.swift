internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Carries a streamed request body from its producer to the engine's thread.
///
/// One task pulls the producer: not before the connection wants bytes, and only while there is room. Nothing is pulled
/// from a body whose connection never came about.
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
  init(length: Int64?) {
    state = LockIsolated(State(length: length))
  }

  /// Starts the task that pulls `body`. It ends with the body, by its failure or by `close()`.
  func start(_ body: HTTPBody, onEvent: @escaping @Sendable (Event) -> Void) {
    let task = Task(name: "swiftwater.curl.upload") { [self] in
      do {
        try await pull(body, onEvent: onEvent)
      } catch {
        let isClosed = state.withLock { $0.isClosed }
        if !isClosed { onEvent(.failure(error)) }
      }
    }
    let isClosed = state.withLock { $0.own(task) }
    if isClosed { task.cancel() }
  }

  /// Fills `buffer`; called by the engine.
  func supply(_ buffer: UnsafeMutableRawBufferPointer) -> Supply {
    // unsafe: the pointer is used before withLock returns and not kept.
    nonisolated(unsafe) let buffer = buffer
    let (supply, waiter) = state.withLock { $0.supply(buffer) }
    waiter?.resume()
    return supply
  }

  /// Whether bytes have been handed to the engine, so that the body cannot be sent from its beginning again.
  var hasBegun: Bool { state.withLock { $0.supplied > 0 } }

  /// Ends the task. Nothing is said any more.
  func close() {
    let (task, waiter) = state.withLock { $0.close() }
    task?.cancel()
    waiter?.resume(throwing: CancellationError())
  }

  private func pull(_ body: HTTPBody, onEvent: @Sendable (Event) -> Void) async throws {
    var chunks = body.makeAsyncIterator()
    while true {
      try await waitForRoom()
      let chunk = try await chunks.next()
      if try state.withLock({ state throws(HTTPError) in try state.produce(chunk) }) { onEvent(.resume) }
      if chunk == nil { return }
    }
  }

  private func waitForRoom() async throws {
    // Cancelled by close() only, which is the one who cancels the task and resumes the waiter as well.
    try await withCheckedThrowingContinuation { continuation in
      state.withLock { $0.awaitRoom(continuation) }?.resume()
    }
  }
}

extension UploadChannel {
  private struct State {
    private let length: Int64?
    private var queue = ByteQueue()
    private var produced: Int64 = 0
    private(set) var supplied: Int64 = 0
    /// The connection stands and has asked for bytes.
    private var isWanted = false
    /// The engine has been told to wait.
    private var isStarving = false
    private var isComplete = false
    private(set) var isClosed = false
    private var waiter: CheckedContinuation<Void, any Error>?
    private var task: Task<Void, Never>?

    init(length: Int64?) { self.length = length }

    struct Resumption: Sendable {
      let continuation: CheckedContinuation<Void, any Error>
      let result: Result<Void, any Error>

      func resume() { continuation.resume(with: result) }
    }

    mutating func own(_ task: Task<Void, Never>) -> Bool {
      if !isClosed, !isComplete { self.task = task }
      return isClosed
    }

    mutating func awaitRoom(_ continuation: CheckedContinuation<Void, any Error>) -> Resumption? {
      if isClosed { return Resumption(continuation: continuation, result: .failure(CancellationError())) }
      if hasRoom { return Resumption(continuation: continuation, result: .success(())) }
      waiter = continuation
      return nil
    }

    /// Takes a chunk, or nil for the end. Returns whether the engine waits for it.
    mutating func produce(_ chunk: [UInt8]?) throws(HTTPError) -> Bool {
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

    mutating func supply(_ buffer: UnsafeMutableRawBufferPointer)
      -> (Supply, CheckedContinuation<Void, any Error>?)
    {
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

    mutating func close() -> (Task<Void, Never>?, CheckedContinuation<Void, any Error>?) {
      defer {
        isClosed = true
        queue = ByteQueue()
        task = nil
        waiter = nil
      }
      return (task, waiter)
    }

    private var hasRoom: Bool { isWanted && queue.count < UploadChannel.limit }
  }
}

internal import SwiftwaterHTTP

/// One request and its response, as every thread but the engine's sees it.
final class Exchange: Sendable {
  let request: PreparedRequest
  /// The idle timeout; nil for none.
  let timeout: Duration?
  let response = ResponseChannel()
  /// Present when the request's body is a stream.
  let upload: UploadChannel?
  private let engine: CurlEngine

  /// - Throws: `HTTPError` of the kind `.invalidRequest` for a request that cannot be sent as it is.
  init(_ request: HTTPRequest, body: HTTPBody?, engine: CurlEngine) throws(HTTPError) {
    self.request = try PreparedRequest(request, body: body)
    timeout = request.timeout
    self.engine = engine
    if case .stream(let length) = self.request.content, let body {
      upload = UploadChannel(body, length: length)
    } else {
      upload = nil
    }
  }

  /// Hands the exchange to the engine.
  func begin() {
    upload?.start { [self] in handle($0) }
    engine.submit(.start(self))
  }

  /// Makes a streamed body come from its beginning again. Returns whether that is possible.
  func rewindUpload() -> Bool { upload?.rewind { [self] in handle($0) } ?? false }

  /// The head of the response.
  func head() async throws -> ResponseHead {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { perform(response.awaitHead($0)) }
    } onCancel: {
      cancel()
    }
  }

  /// The next bytes of the response's body, nil at its end.
  func nextChunk() async throws -> [UInt8]? {
    // The body of a small response is there already, which saves a good part of the wait's cost.
    if !Task.isCancelled, let ready = response.takeChunk() {
      if ready.resumesReceiving { engine.submit(.resumeReceiving(self)) }
      return try ready.result.get()
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { perform(response.awaitChunk($0)) }
    } onCancel: {
      cancel()
    }
  }

  /// Nobody wants the response any more: ends the exchange for its caller at once, and for the engine soon.
  func cancel() { end(response.cancel()) }

  /// Nobody wants the body: lets the engine end what is nearly over, so that its connection can be used again, and give
  /// up the rest.
  func discard() {
    if upload == nil { perform(response.discard()) } else { cancel() }
  }

  /// The transfer is over; called by the engine.
  func finish(_ result: Result<Void, any Error>) {
    upload?.close()
    perform(response.finish(result).1)
  }

  /// Wakes whoever waits for what has arrived.
  func flush() { perform(response.flush()) }

  private func handle(_ event: UploadChannel.Event) {
    switch event {
    case .resume: engine.submit(.resumeSending(self))
    case .failure(let error): abort(with: error)
    }
  }

  private func abort(with error: any Error) { end(response.finish(.failure(error))) }

  private func end(_ ending: (wasRunning: Bool, delivery: ResponseChannel.Delivery)) {
    upload?.close()
    perform(ending.delivery)
    if ending.wasRunning { engine.submit(.cancel(self)) }
  }

  private func perform(_ delivery: ResponseChannel.Delivery) {
    delivery.head?.resume()
    delivery.chunk?.resume()
    if delivery.resumesReceiving { engine.submit(.resumeReceiving(self)) }
  }
}

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

  init(request: PreparedRequest, timeout: Duration?, engine: CurlEngine) {
    self.request = request
    self.timeout = timeout
    self.engine = engine
    if case .stream(let length) = request.content { upload = UploadChannel(length: length) } else { upload = nil }
  }

  /// Hands the exchange to the engine; `body` is read if it is a stream.
  func begin(uploading body: HTTPBody?) {
    if let upload, let body {
      upload.start(body) { [self] event in
        switch event {
        case .resume: engine.submit(.resumeSending(self))
        case .failure(let error): abort(with: error)
        }
      }
    }
    engine.submit(.start(self))
  }

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
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { perform(response.awaitChunk($0)) }
    } onCancel: {
      cancel()
    }
  }

  /// Nobody wants the response any more: ends the exchange for its caller at once, and for the engine soon.
  func cancel() { end(response.cancel()) }

  /// The transfer is over; called by the engine.
  func finish(_ result: Result<Void, any Error>) {
    upload?.close()
    perform(response.finish(result).1)
  }

  /// Wakes whoever waits for what has arrived.
  func flush() { perform(response.flush()) }

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

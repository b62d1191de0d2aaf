#if canImport(Darwin)
  internal import Foundation
  internal import SwiftwaterHTTP
  internal import SwiftwaterStreams

  /// One request and its response: the delegate of a task of the session.
  final class URLSessionExchange: NSObject, URLSessionDataDelegate, Sendable {
    /// A week, in seconds: the session's own limit for a task.
    static let longestTime: TimeInterval = 604_800

    private struct State {
      /// What has arrived while the channel was full.
      var waiting: [UInt8] = []
      /// How the task has ended, behind these bytes.
      var ending: Result<Void, any Error>?
      var upload: BodyStreamWriter?
    }

    private let response = ResponseChannel()
    private let prepared: PreparedRequest
    private let body: HTTPBody?
    private let task: URLSessionTask
    /// The session's queue, on which everything arrives in turn.
    private let queue: OperationQueue
    private let state = LockIsolated(State())

    /// - Throws: `HTTPError` of the kind `.invalidRequest` for a request that cannot be sent as it is.
    init(_ request: HTTPRequest, body: HTTPBody?, session: URLSession) throws(HTTPError) {
      prepared = try PreparedRequest(request, body: body)
      guard prepared.target == nil, let url = URL(string: prepared.url) else {
        throw HTTPError(kind: .invalidRequest, message: "URLSession cannot send this target; percent-encode it.")
      }
      var message = URLRequest(url: url)
      message.httpMethod = prepared.method
      message.timeoutInterval = request.timeout.map { $0 / .seconds(1) } ?? Self.longestTime
      for field in request.headerFields { message.addValue(field.value, forHTTPHeaderField: "\(field.name)") }
      if !request.headerFields.contains(.userAgent) { message.setValue("swiftwater", forHTTPHeaderField: "User-Agent") }
      switch prepared.content {
      case .none: task = session.dataTask(with: message)
      case .bytes(let bytes): task = session.uploadTask(with: message, from: Data(bytes))
      case .stream(let length):
        if let length { message.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
        task = session.uploadTask(withStreamedRequest: message)
      }
      self.body = body
      queue = session.delegateQueue
      super.init()
      task.delegate = self
      task.resume()
    }

    /// The head of the response.
    func head() async throws -> ResponseHead { try await value(response.awaitHead) }

    /// The next bytes of the response's body, nil at its end.
    func nextChunk() async throws -> [UInt8]? { try await value(response.awaitChunk) }

    private func value<Value: Sendable>(
      _ register: (CheckedContinuation<Value, any Error>) -> ResponseChannel.Delivery
    ) async throws -> Value {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { perform(register($0)) }
      } onCancel: {
        cancel()
      }
    }

    /// Nobody wants the response any more.
    func cancel() { end(response.cancel().1) }

    private func end(_ delivery: ResponseChannel.Delivery) {
      perform(delivery)
      task.cancel()
      state.withLock { $0.upload }?.cancel()
    }

    private func perform(_ delivery: ResponseChannel.Delivery) {
      delivery.head?.resume()
      delivery.chunk?.resume()
      if delivery.resumesReceiving { queue.addOperation { [self] in resumeReceiving() } }
    }

    private func receive(_ bytes: [UInt8]) {
      switch bytes.withUnsafeBytes({ response.receive($0) }) {
      case .taken: perform(response.flush())
      case .refused: task.cancel()
      case .full:
        state.withLock { $0.waiting = bytes }
        task.suspend()
      }
    }

    private func resumeReceiving() {
      let (bytes, ending) = state.withLock { state in
        defer { state.waiting = [] }
        return (state.waiting, state.ending)
      }
      receive(bytes)
      task.resume()
      if let ending { end(response.finish(ending).1) }
    }

    // MARK: - The session's delegate

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      // The redirect itself is the response; `RedirectFollower` decides.
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      let former = state.withLock { $0.upload }
      former?.cancel()
      guard let body, case .stream(let length) = prepared.content,
        former == nil || body.iterationBehavior == .multiple,
        let (upload, stream) = BodyStreamWriter.start(
          body, length: length,
          onFailure: { [weak self] error in
            // A reading that has been replaced fails, too.
            if !Task.isCancelled, let self { end(response.finish(.failure(error)).1) }
          })
      else { return completionHandler(nil) }
      state.withLock { $0.upload = upload }
      completionHandler(stream)
      // A cancellation that came before has not met the writer.
      if response.hasEnded { upload.cancel() }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
      var fields = HTTPFields()
      for case (let name as String, let value as String) in response.allHeaderFields {
        if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
      }
      // The session decodes whatever it knows.
      self.response.receive(
        ResponseHead(status: response.statusCode, fields: fields, isHead: prepared.isHead, decodesContent: true))
      perform(self.response.flush())
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isBehindOthers = state.withLock { state in
        if !state.waiting.isEmpty { state.waiting += data }
        return !state.waiting.isEmpty
      }
      if !isBehindOthers { receive(Array(data)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let result: Result<Void, any Error> = error.map { .failure(HTTPError($0)) } ?? .success(())
      let isBehindOthers = state.withLock { state in
        if !state.waiting.isEmpty { state.ending = result }
        return !state.waiting.isEmpty
      }
      if !isBehindOthers { end(response.finish(result).1) }
    }
  }
#endif

internal import SwiftwaterHTTP

extension Connection {
  /// Bodies up to this size are copied behind their head, so that both leave in one call.
  private static let joinedBodySize = 32 * 1024

  /// What is left to do for a response.
  enum Remainder: Sendable {
    case nothing(sent: HTTPResponse.Status?)
    indirect case stream(ResponseWriter)
    indirect case webSocket(OpenedWebSocket)
  }

  /// Answers with what stands for an error of the handler; without one, for the job's own.
  @inline(never)
  func begin(_ error: (any Error)?, for job: Job) -> Remainder {
    let error = error ?? job.refusal ?? CancellationError()
    guard let response = try? ServerResponse.answer(to: error, errorResponse: engine.configuration.errorResponse) else {
      abort()
      return .nothing(sent: nil)
    }
    return begin(response, for: job)
  }

  /// Sends a response that is at hand, and the head of one that is not.
  @inline(never)
  func begin(_ response: ServerResponse, for job: Job) -> Remainder {
    if let upgrade = response.upgrade { return open(upgrade, response.head.headerFields, for: job) }
    guard let writer = ResponseWriter(response, to: job.traits) ?? ResponseWriter(.failure, to: job.traits) else {
      return .nothing(sent: nil)
    }
    let isWhole: Bool
    let body: [UInt8]
    if case .bytes(let bytes) = writer.response.body.storage {
      isWhole = true
      body = writer.sendsBody ? bytes : []
    } else {
      isWhole = !writer.sendsBody
      body = []
    }
    let isJoined = body.count <= Self.joinedBodySize
    let date = engine.date.now
    let isUnderWay = locked { state, effects in
      let keepsAlive = state.machine.responseBegan(
        remaining: state.parser.remainingBodyLength, allowsKeepAlive: writer.allowsKeepAlive, at: .now)
      guard let keepsAlive else {
        state.close(&effects)
        return false
      }
      var bytes = writer.head(keepsAlive: keepsAlive, date: date, reserving: isJoined ? body.count : 0)
      if isJoined { bytes.append(contentsOf: body) }
      state.send(bytes, &effects)
      if isWhole {
        if !isJoined { state.send(body, &effects) }
        state.endResponse(self, &effects)
      } else {
        state.settle(self, &effects)
      }
      return true
    }
    guard isUnderWay else { return .nothing(sent: nil) }
    return isWhole ? .nothing(sent: writer.response.head.status) : .stream(writer)
  }

  /// Sends the body of a response whose head has been sent.
  @inline(never)
  func sendStream(_ writer: ResponseWriter) async -> HTTPResponse.Status? {
    await sendBody(writer)
    return writer.response.head.status
  }

  private func sendBody(_ writer: ResponseWriter) async {
    if var openEnd = writer.response.openEnd {
      openEnd.filler = writer.part(openEnd.filler)
      locked { state, effects in state.begin(openEnd, &effects) }
    }
    let expected: Int64? = if case .length(let length) = writer.framing { length } else { nil }
    var count: Int64 = 0
    do {
      for try await chunk in writer.response.body {
        count += Int64(chunk.count)
        // More than announced would be taken for the next response.
        if let expected, count > expected { return abort(reset: true) }
        guard await send(writer.part(chunk)) else { return }
      }
    } catch {
      return abort(reset: true)
    }
    if let expected, count < expected { return abort(reset: true) }
    locked { state, effects in
      state.send(writer.end, &effects)
      state.endResponse(self, &effects)
    }
  }

  /// Sends bytes and waits until the peer has read most of what it was sent; false when the connection is gone.
  private func send(_ bytes: [UInt8]) async -> Bool {
    let (isOpen, isFull) = locked { state, effects in
      state.send(bytes, &effects)
      state.settle(self, &effects)
      return (!state.machine.isClosed, state.output.count > Self.outputCapacity)
    }
    return isFull ? await waitUntilDrained() : isOpen
  }

  @inline(never)
  private func waitUntilDrained() async -> Bool {
    // Closing the connection ends the wait; where this task is cancelled otherwise, the peer still gets what is on its way.
    await withCheckedContinuation { writer in
      let hasDrained = locked { state, _ in
        if state.machine.isClosed || state.output.count <= Self.outputCapacity / 2 { return true }
        state.writer = writer
        return false
      }
      if hasDrained { writer.resume() }
    }
    return locked { state, _ in !state.machine.isClosed }
  }
}

extension Connection.State {
  /// The response is complete: drop what is left of its request, and begin the next one if it is here.
  fileprivate mutating func endResponse(_ connection: Connection, _ effects: inout Connection.Effects) {
    finishBody(
      &effects, throwing: HTTPServerError(code: .connectionLost, message: "The request has been answered already."))
    openEnd = nil
    tally.isComplete = true
    finishedTally = tally
    machine.responseEnded(at: .now)
    process(for: connection, &effects)
    settle(connection, &effects)
  }
}

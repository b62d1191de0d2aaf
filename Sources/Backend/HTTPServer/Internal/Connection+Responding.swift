internal import SwiftwaterHTTP

extension Connection {
  /// Bodies up to this size are copied behind their head, so that both leave in one call.
  private static let joinedBodySize = 32 * 1024

  /// Sends a response. Returns when the last byte has been handed over or the connection is gone.
  ///
  /// - Returns: the status that was sent; nil when there was nobody to send it to.
  func respond(_ response: ServerResponse, to traits: RequestTraits) async -> HTTPResponse.Status? {
    let failure = ServerResponse.failure(.internalServerError, message: ServerResponse.failureMessage)
    guard let writer = ResponseWriter(response, to: traits) ?? ResponseWriter(failure, to: traits) else { return nil }
    let keepsAlive = locked { state, _ in
      state.machine.responseBegan(
        remaining: state.parser.remainingBodyLength, allowsKeepAlive: writer.allowsKeepAlive, at: .now)
    }
    guard let keepsAlive else {
      abort()
      return nil
    }
    if case .bytes(let body) = writer.response.body.storage {
      sendWhole(body, writer, keepsAlive)
    } else if writer.sendsBody {
      await sendStream(writer, keepsAlive)
    } else {
      sendWhole([], writer, keepsAlive)
    }
    return writer.response.head.status
  }

  private func sendWhole(_ body: [UInt8], _ writer: ResponseWriter, _ keepsAlive: Bool) {
    let body = writer.sendsBody ? body : []
    let isJoined = body.count <= Self.joinedBodySize
    var bytes = writer.head(keepsAlive: keepsAlive, date: engine.date, reserving: isJoined ? body.count : 0)
    if isJoined { bytes.append(contentsOf: body) }
    locked { state, effects in
      state.send(bytes, &effects)
      if !isJoined { state.send(body, &effects) }
      state.endResponse(self, &effects)
    }
  }

  private func sendStream(_ writer: ResponseWriter, _ keepsAlive: Bool) async {
    guard await send(writer.head(keepsAlive: keepsAlive, date: engine.date, reserving: 0)) else { return }
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
    guard isFull else { return isOpen }
    // Closing the connection ends the wait, and only that cancels this task.
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

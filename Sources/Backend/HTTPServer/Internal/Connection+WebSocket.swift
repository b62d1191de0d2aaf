internal import SwiftwaterHTTP
internal import SwiftwaterSockets

/// A WebSocket whose handshake is done, and who is to use it.
struct OpenedWebSocket: Sendable {
  let channel: WebSocketChannel
  let handler: @Sendable (any WebSocketConnection) async throws -> Void
}

extension Connection {
  /// Opens a WebSocket, or tells the client why not.
  func open(_ upgrade: ServerResponse.Upgrade, _ headerFields: HTTPFields, for job: Job) -> Remainder {
    guard let request = job.request?.head else { return .nothing(sent: nil) }
    let handshake: WebSocketServerHandshake
    do {
      handshake = try WebSocketServerHandshake(request)
    } catch {
      var refusal = engine.configuration.errorResponse(error.response.status, error.message)
      for field in error.response.headerFields { refusal.head.headerFields[field.name] = field.value }
      return begin(refusal, for: job)
    }
    let subprotocol = handshake.protocols.first { upgrade.protocols.contains($0) }
    let (response, agreement) = handshake.response(subprotocol: subprotocol, configuration: upgrade.configuration)
    let head = ResponseWriter.switchingProtocols(response.headerFields, headerFields, date: engine.date.now)
    let channel = WebSocketChannel(
      role: .server, agreement: agreement, configuration: upgrade.configuration, link: self)
    let isOpen = locked { state, effects in
      // HTTP/1.0 knows no upgrade (RFC 9110 §7.8).
      !job.traits.isVersion10 && state.upgrade(to: channel, head, self, &effects)
    }
    guard isOpen else {
      // The channel keeps its link until it is told that there is none.
      var reaction = WebSocketReaction()
      channel.linkClosed(nil, &reaction)
      reaction.wake()
      let status: HTTPResponse.Status = job.traits.isVersion10 ? .badRequest : .serviceUnavailable
      return begin(engine.configuration.errorResponse(status, "A WebSocket cannot be opened now."), for: job)
    }
    return .webSocket(OpenedWebSocket(channel: channel, handler: upgrade.handler))
  }

  /// Lets a WebSocket's handler run, and begins to close the connection when it has ended.
  @inline(never)
  func run(_ socket: OpenedWebSocket) async -> HTTPResponse.Status {
    let connection = socket.channel.makeConnection()
    do {
      try await socket.handler(connection)
      socket.channel.beginClosing(code: .normalClosure)
    } catch is CancellationError {
      socket.channel.beginClosing(code: .goingAway)
    } catch {
      socket.channel.beginClosing(code: .internalError)
    }
    withExtendedLifetime(connection) {}
    return 101
  }
}

extension Connection: WebSocketLink {
  func outputIsReady() {
    locked { state, effects in
      state.channelHasOutput = true
      state.settle(self, &effects)
    }
  }

  func resumeReading() {
    locked { state, effects in
      if state.channel?.isReadingPaused != true { state.machine.resume() }
      state.settle(self, &effects)
    }
  }

  func finishWriting() {
    locked { state, effects in
      effects.reaction.finishesWriting = true
      state.settle(self, &effects)
    }
  }

  func closeLink() {
    locked { state, effects in state.close(&effects) }
  }
}

extension Connection.State {
  /// Answers with 101; from then on all bytes are the channel's.
  ///
  /// - Returns: false when the connection is in no state for that.
  fileprivate mutating func upgrade(
    to channel: WebSocketChannel, _ head: [UInt8], _ connection: Connection, _ effects: inout Connection.Effects
  ) -> Bool {
    guard machine.upgrade(at: .now) else { return false }
    self.channel = channel
    send(head, &effects)
    let rest = parser.takeRest()
    if !rest.isEmpty { rest.withUnsafeBytes { channel.received($0, at: .now, &effects.reaction) } }
    settle(connection, &effects)
    return true
  }

  /// Does what the channel asks for, and sends what it has.
  mutating func serve(_ channel: WebSocketChannel, _ effects: inout Connection.Effects) {
    if effects.reaction.hasOutput { channelHasOutput = true }
    // What the socket does not take stays with the channel, where senders wait for it.
    while channelHasOutput, output.isEmpty, !machine.isClosed {
      guard let bytes = channel.takeOutput(&effects.reaction) else {
        channelHasOutput = false
        break
      }
      send(bytes, &effects)
    }
    if effects.reaction.pausesReading { machine.pause() } else if effects.reaction.resumesReading { machine.resume() }
    if effects.reaction.finishesWriting { machine.channelEnded(at: .now) }
    if effects.reaction.closesLink { close(&effects) }
    effects.reaction.hasOutput = false
    effects.reaction.pausesReading = false
    effects.reaction.resumesReading = false
    effects.reaction.finishesWriting = false
  }
}

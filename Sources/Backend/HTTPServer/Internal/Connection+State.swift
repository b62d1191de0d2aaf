internal import SwiftwaterEventLoop
internal import SwiftwaterHTTP
internal import SwiftwaterSockets

extension Connection {
  /// What the connection's lock guards. Its functions do the I/O and leave the rest to `Effects`.
  struct State: Sendable {
    let socket: Socket
    let loop: EventLoop
    var parser: RequestParser
    var machine: ConnectionStateMachine
    var output = OutputBuffer()
    var registration: EventLoop.Registration?
    var interest: EventInterest = .readable
    /// The body that is arriving.
    var body: BodyChannel?
    /// A request that the task has not taken yet, or the task that waits for one.
    var job: Job?
    var worker: CheckedContinuation<Job?, Never>?
    /// Set while a response is streamed that has no end of its own.
    var openEnd: ServerResponse.OpenEnd?
    /// What has taken over from HTTP, and whether it may have something to send.
    var channel: WebSocketChannel?
    var channelHasOutput = false
    /// The task, waiting for the peer to read.
    var writer: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?
    var isFinished = false
    /// What has moved for the exchange under way, and for the one that has ended last.
    var tally = Tally()
    var finishedTally: Tally?
    private var isReleased = false

    init(socket: Socket, loop: EventLoop, parser: RequestParser, machine: ConnectionStateMachine) {
      self.socket = socket
      self.loop = loop
      self.parser = parser
      self.machine = machine
    }

    mutating func register(_ connection: Connection, _ effects: inout Effects) {
      guard !machine.isClosed else { return }
      do {
        registration = try loop.register(socket.descriptor, for: interest, handler: connection)
      } catch {
        close(&effects)
      }
    }

    // MARK: - Reading

    mutating func receive(
      into buffer: UnsafeMutableRawBufferPointer, for connection: Connection, _ effects: inout Effects
    ) {
      guard !machine.isClosed, machine.reads(hasRoom: hasRoom(connection)) else { return }
      let transfer = machine.isLingering ? socket.receiveUndecoded(into: buffer) : socket.receive(into: buffer)
      if machine.isInHandshake, let tls = socket.tls, tls.isEstablished { machine.handshakeEnded(at: .now) }
      switch transfer {
      case .bytes(let count):
        if machine.isLingering { return }
        machine.moved(count, at: .now)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let channel { return channel.received(bytes, at: .now, &effects.reaction) }
        parser.append(bytes)
        process(for: connection, &effects)
      case .ended:
        if machine.peerDidEnd(at: .now, hasOutput: !output.isEmpty) { close(&effects) }
      case .failed where machine.isInHandshake:
        machine.handshakeFailed(at: .now)
        socket.endSending()
      case .failed:
        close(&effects)
      case .wouldBlock:
        break
      }
    }

    /// Takes what the parser has, as far as it is due.
    mutating func process(for connection: Connection, _ effects: inout Effects) {
      do throws(HTTPServerError) {
        while machine.parses {
          guard let event = try parser.next() else {
            if parser.bufferedCount > 0 { machine.headBegan(at: .now) }
            return
          }
          switch event {
          case .head(let head): begin(head, for: connection, &effects)
          case .body(let chunk):
            machine.bodyArrived()
            tally.received += Int64(chunk.count)
            guard let body else { continue }
            let (wakeup, isFull) = body.push(chunk)
            if let wakeup { effects.readers.append(wakeup) }
            if isFull { machine.pause() }
          case .end:
            finishBody(&effects)
            machine.bodyEnded(at: .now)
          }
        }
      } catch {
        refuse(error, &effects)
      }
    }

    private mutating func begin(_ head: RequestHead, for connection: Connection, _ effects: inout Effects) {
      let now = ContinuousClock.now
      tally = Tally()
      var request = ServerRequest(head: head.request, peer: connection.peer)
      if let tls = socket.tls {
        request.head.scheme = "https"
        request.clientCertificate = tls.clientCertificate
      }
      if head.framing == .none {
        machine.headEnded(keepsAlive: head.keepsAlive, request: .complete, at: now)
      } else {
        let channel = BodyChannel { [weak connection] in connection?.demand($0) }
        let length: HTTPBody.Length = if case .length(let length) = head.framing { .known(length) } else { .unknown }
        request.body = HTTPBody(length: length) { try await channel.next() }
        body = channel
        machine.headEnded(
          keepsAlive: head.keepsAlive, request: head.expectsContinue ? .awaitingContinue : .reading, at: now)
      }
      let traits = RequestTraits(isHead: head.request.method == .head, isVersion10: head.isVersion10)
      deliver(Job(request, traits), &effects)
    }

    /// Breaks the request off: its body fails, or there is an answer that no handler gives.
    mutating func refuse(_ error: HTTPServerError, _ effects: inout Effects) {
      if body != nil {
        finishBody(&effects, throwing: error)
        machine.requestFailed(at: .now)
      } else {
        let isUnanswered = machine.awaitsHead
        machine.requestFailed(at: .now)
        tally = Tally()
        if isUnanswered { deliver(Job(refusing: error), &effects) }
      }
    }

    private mutating func deliver(_ next: Job, _ effects: inout Effects) {
      if let worker {
        effects.worker = worker
        effects.job = next
        self.worker = nil
      } else {
        job = next
      }
    }

    mutating func finishBody(_ effects: inout Effects, throwing error: HTTPServerError? = nil) {
      if let wakeup = body?.finish(throwing: error) { effects.readers.append(wakeup) }
      body = nil
    }

    // MARK: - Writing

    /// Sends bytes, or keeps what the socket does not take.
    mutating func send(_ bytes: [UInt8], _ effects: inout Effects) {
      guard !machine.isClosed, !bytes.isEmpty else { return }
      tally.sent += Int64(bytes.count)
      guard output.isEmpty else { return output.append(bytes) }
      switch bytes.withUnsafeBytes(socket.send) {
      case .bytes(let count):
        machine.moved(count, at: .now)
        output.append(bytes, taken: count)
      case .wouldBlock: output.append(bytes)
      case .ended, .failed: return close(&effects)
      }
      if !output.isEmpty { machine.outputBegan(at: .now) }
    }

    mutating func flush(_ effects: inout Effects) {
      guard !machine.isClosed, !output.isEmpty else { return }
      let before = output.count
      let socket = socket
      let isAlive = output.drain { bytes in
        switch socket.send(bytes) {
        case .bytes(let count): count
        case .wouldBlock: 0
        case .ended, .failed: nil
        }
      }
      guard isAlive else { return close(&effects) }
      machine.moved(before - output.count, at: .now)
      if output.count <= Connection.outputCapacity / 2 {
        effects.writer = writer
        writer = nil
      }
    }

    // MARK: - Keeping up

    /// Does what follows from the changes: end the connection, or wait for the right events.
    mutating func settle(_ connection: Connection, _ effects: inout Effects) {
      if let channel { serve(channel, &effects) }
      if output.isEmpty, machine.outputDrained(at: .now) {
        if machine.isClosed { close(&effects) } else { socket.endSending() }
      }
      guard !machine.isClosed else { return }
      var interest: EventInterest = []
      if machine.reads(hasRoom: hasRoom(connection)) { interest.insert(.readable) }
      if !output.isEmpty || socket.waitsToWrite { interest.insert(.writable) }
      guard interest != self.interest, let registration else { return }
      self.interest = interest
      loop.update(registration, to: interest)
    }

    mutating func begin(_ openEnd: ServerResponse.OpenEnd, _ effects: inout Effects) {
      self.openEnd = openEnd
      if machine.isStopping { effects.cancelled = task }
    }

    /// Lets a request under way come to its end, and nothing begin.
    mutating func stop(_ effects: inout Effects) {
      if machine.stop(hasOutput: !output.isEmpty) { return close(&effects) }
      if openEnd != nil { effects.cancelled = task }
      effects.closing = channel
    }

    mutating func tick(_ now: ContinuousClock.Instant, for connection: Connection, _ effects: inout Effects) {
      if let openEnd, output.isEmpty, let interval = openEnd.keepAlive, machine.isQuiet(for: interval, at: now) {
        send(openEnd.filler, &effects)
      }
      if let channel { _ = channel.tick(now, &effects.reaction) }
      guard let lapse = machine.lapse(at: now, hasOutput: !output.isEmpty, limits: connection.engine.limits) else {
        return settle(connection, &effects)
      }
      switch lapse {
      case .closeQuietly: close(&effects)
      case .abort: close(&effects, reset: true)
      case .cancel: effects.cancelled = task
      case .refuseHead:
        refuse(.timeout("The request's head did not arrive in time."), &effects)
      case .abandonBody:
        refuse(.timeout("The request's body did not arrive in time."), &effects)
      }
      settle(connection, &effects)
    }

    /// Closes the socket and releases everyone who waits for it. Closing twice does nothing.
    mutating func close(_ effects: inout Effects, reset: Bool = false) {
      guard !isReleased else { return }
      isReleased = true
      // After a closing handshake nothing is lost yet that has been received.
      if channel != nil, machine.isLingering { effects.leavesLate = !isFinished } else { effects.cancelled = task }
      channel?.linkClosed(nil, &effects.reaction)
      channel = nil
      machine.close()
      output = OutputBuffer()
      effects.dropped = job
      job = nil
      finishBody(
        &effects, throwing: HTTPServerError(code: .connectionLost, message: "The client closed the connection."))
      effects.isGone = isFinished
      if let writer {
        effects.writer = writer
        self.writer = nil
      }
      if let worker {
        effects.worker = worker
        self.worker = nil
      }
      if reset { socket.resetOnClose() } else { socket.tls?.endSending() }
      if let registration { loop.remove(registration) }
      socket.close()
    }

    /// Requests ahead of their turn are kept up to the size of a head.
    private func hasRoom(_ connection: Connection) -> Bool {
      parser.bufferedCount < connection.engine.configuration.maximumHeadBytes
    }
  }
}

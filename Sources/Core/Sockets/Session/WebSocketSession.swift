/// What both ends of a WebSocket decide, without I/O and without a clock (RFC 6455): bytes in, messages and bytes out.
///
/// The driver hands in what it has read and takes ``output``; the application takes ``inbox``. After every call the
/// properties say what has come of it: nothing here calls anybody.
struct WebSocketSession {
  let role: WebSocketRole
  let configuration: WebSocketConfiguration
  private var parser: WebSocketFrameParser
  private var assembler: WebSocketMessageAssembler
  private let inflater: MessageInflater?
  private var masks = WebSocketMaskSource()
  private var keepalive: WebSocketKeepalive

  /// Messages that have arrived.
  private(set) var inbox = WebSocketInbox()
  /// Frames that are to be sent.
  private(set) var output = WebSocketOutput()
  /// The newest ping that could not be answered yet, since the output is full.
  private var unansweredPing: [UInt8]?

  private(set) var hasSentClose = false
  private(set) var hasReceivedClose = false
  /// The peer's Close frame.
  private(set) var peerCode: WebSocketCloseCode?
  private(set) var peerReason: String?
  /// How the peer has broken the protocol, which it is told once the messages before that have been dealt with.
  private var violation: WebSocketError?
  /// Why the connection ended without a closing handshake.
  private(set) var failure: WebSocketError?
  private(set) var isLinkClosed = false
  /// What the driver said about the end of the link.
  private var lostBy: WebSocketError?
  /// The connection is to be cut, whatever is left.
  private(set) var isAbandoned = false
  /// This side has asked for the end, and wants no more messages.
  private(set) var dropsMessages = false
  private var closingSince: ContinuousClock.Instant?
  private var takenBeforeClosing = 0

  init(
    role: WebSocketRole, compression: DeflateParameters?, configuration: WebSocketConfiguration,
    now: ContinuousClock.Instant
  ) {
    self.role = role
    self.configuration = configuration
    let peer: WebSocketRole = role == .client ? .server : .client
    inflater = compression.map {
      MessageInflater(takesContextOver: $0.takesContextOver(peer), windowBits: $0.windowBits(of: peer))
    }
    parser = WebSocketFrameParser(
      role: role, allowsCompression: compression != nil, maximumFrameBytes: configuration.maximumFrameBytes)
    assembler = WebSocketMessageAssembler(maximumMessageBytes: configuration.maximumMessageBytes, inflater: inflater)
    keepalive = WebSocketKeepalive(configuration.keepalive, now: now)
  }

  // MARK: - State

  /// Whether a message can still be sent.
  var canSend: Bool { !hasSentClose && failure == nil && !isLinkClosed }

  /// Whether nothing more will be received.
  var isReceivingOver: Bool { hasReceivedClose || violation != nil || failure != nil }

  /// Whether nothing will be added to the output any more.
  var isSendingOver: Bool { failure != nil || hasSentClose && hasReceivedClose }

  /// Whether the application has to take messages before more bytes are looked at.
  var isFull: Bool { !dropsMessages && inbox.byteCount >= configuration.receiveBufferBytes }

  /// How the connection has ended, nil while it has not.
  var end: Result<Void, WebSocketError>? {
    if let failure { return .failure(failure) }
    return hasReceivedClose && (hasSentClose || isLinkClosed) ? .success(()) : nil
  }

  // MARK: - Receiving

  /// Takes bytes from the peer until the inbox is full; returns how many.
  ///
  /// - Parameter now: When they arrived; nil for bytes that were left the last time.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: ContinuousClock.Instant?) -> Int {
    if let now { keepalive.heard(at: now) }
    var offset = 0
    do throws(WebSocketError) {
      while !isReceivingOver, !isFull, let piece = try parser.next(bytes, at: &offset) {
        guard let event = try assembler.take(piece) else { continue }
        handle(event)
      }
    } catch {
      // Behind the own Close there is nothing to wait for.
      if canSend { violation = error } else { failure = error }
    }
    return isReceivingOver ? bytes.count : offset
  }

  private mutating func handle(_ event: WebSocketMessageAssembler.Event) {
    switch event {
    case .message(let message): if !dropsMessages { inbox.append(message) }
    case .ping(let payload): answer(payload)
    case .pong: break
    case .close(let code, let reason):
      hasReceivedClose = true
      peerCode = code ?? .noStatusReceived
      peerReason = reason
      unansweredPing = nil
    }
  }

  private mutating func answer(_ ping: [UInt8]) {
    guard canSend else { return }
    // Somebody who pings but does not read gets one pong for all (RFC 6455 §5.5.3).
    if output.count >= configuration.sendBufferBytes {
      unansweredPing = ping
    } else {
      send(.pong, ping)
    }
  }

  /// The first message that nobody has taken.
  mutating func takeMessage() -> WebSocketMessage? { inbox.popFirst() }

  // MARK: - Sending

  /// Queues a frame; only if `canSend`.
  mutating func send(_ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool = false) {
    let mask = role == .client ? masks.next() : nil
    output.append(opcode, isCompressed: isCompressed, mask: mask, payload: payload)
  }

  private mutating func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
    payload.withUnsafeBytes { send(opcode, $0) }
  }

  /// Takes the bytes that go next.
  mutating func takeOutput() -> [UInt8]? {
    let bytes = output.take()
    if let ping = unansweredPing, output.count < configuration.sendBufferBytes {
      unansweredPing = nil
      if canSend { send(.pong, ping) }
    }
    return bytes
  }

  // MARK: - Closing

  /// Begins the closing handshake, or answers the peer's Close with a code of one's own. Messages are dropped from now.
  mutating func close(code: WebSocketCloseCode, reason: String) {
    dropsMessages = true
    guard canSend else { return }
    sendClose(code, reason: reason)
    failure = violation
  }

  /// Nobody will take a message any more.
  mutating func discardInbox() { inbox.removeAll() }

  /// Whether the peer waits for a Close frame that was put off.
  private var owesClose: Bool { (hasReceivedClose || violation != nil) && failure == nil && !hasSentClose }

  /// Answers the peer's Close or violation. The application has dealt with the messages it has taken, and asks for more.
  mutating func answerCloseIfDue() {
    guard inbox.isEmpty else { return }
    answerClose()
  }

  private mutating func answerClose() {
    if let error = violation, failure == nil {
      if canSend { sendClose(error.toldCode, reason: "") }
      failure = error
    } else if hasReceivedClose, canSend {
      sendClose(peerCode ?? .noStatusReceived, reason: "")
    }
  }

  private mutating func sendClose(_ code: WebSocketCloseCode, reason: String) {
    var payload: [UInt8] = []
    if code != .noStatusReceived {
      let sent = code.isSendable ? code : .normalClosure
      payload = [UInt8(sent.rawValue >> 8), UInt8(sent.rawValue & 0xFF)] + reason.utf8Prefix(123)
    }
    send(.close, payload)
    hasSentClose = true
    unansweredPing = nil
  }

  /// The connection has ended.
  mutating func linkClosed(_ error: WebSocketError?) {
    isLinkClosed = true
    output.removeAll()
    unansweredPing = nil
    lostBy = error
  }

  /// Draws the conclusion from a closed link, once all bytes have been looked at.
  mutating func concludeIfLinkClosed() {
    guard isLinkClosed, !hasReceivedClose, failure == nil else { return }
    failure =
      violation ?? lostBy
      ?? WebSocketError(code: .connectionLost, message: "The connection ended without a closing handshake.")
  }

  // MARK: - Time

  /// Does what is due. Returns when it is to be called again at the latest; nil: not before something else happens.
  ///
  /// - Parameter isReadingPaused: whether the peer's bytes are left in the network.
  mutating func tick(_ now: ContinuousClock.Instant, isReadingPaused: Bool) -> ContinuousClock.Instant? {
    guard !isLinkClosed, !isAbandoned else { return nil }
    if hasSentClose || isReceivingOver { return tickClosing(now) }
    switch keepalive.tick(now, isReadingPaused: isReadingPaused, output: output) {
    case .wait(let next): return next
    case .ping(let next):
      send(.ping, [])
      keepalive.pingQueued(behind: output)
      return next
    case .fail(let silence):
      failure = WebSocketError(
        code: .timeout, message: "The peer has been silent for \(silence), and left a ping unanswered.")
      isAbandoned = true
      return nil
    }
  }

  private mutating func tickClosing(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    // As long as the network takes what stands before the Close frame, the peer is not late.
    let hasMoved = output.takenCount != takenBeforeClosing
    takenBeforeClosing = output.takenCount
    let since = hasMoved ? now : closingSince ?? now
    closingSince = since
    let deadline = since + configuration.closeTimeout
    guard now >= deadline else { return deadline }
    if owesClose {
      // The application has not caught up in time. What has arrived can be read, but not answered any more.
      answerClose()
      closingSince = now
      return now + configuration.closeTimeout
    }
    if end == nil {
      failure = WebSocketError(
        code: .timeout, message: "The peer did not answer the Close frame within \(configuration.closeTimeout).")
    }
    isAbandoned = true
    return nil
  }

  /// Gives memory back that an idle connection does not need.
  mutating func releaseSpareMemory() {
    masks.release()
    inflater?.compact()
  }
}

extension String {
  /// As many whole characters as fit into `count` bytes of UTF-8.
  func utf8Prefix(_ count: Int) -> [UInt8] {
    guard utf8.count > count else { return Array(utf8) }
    var bytes: [UInt8] = []
    for character in self {
      guard bytes.count + character.utf8.count <= count else { break }
      bytes += character.utf8
    }
    return bytes
  }
}

/// What a connection does next: read or not, keep alive or close, wait or give up. Decides, does nothing.
struct ConnectionStateMachine: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// How far a request has arrived.
  enum RequestSide: Sendable {
    /// The client waits for `100 Continue` before it sends the body.
    case awaitingContinue
    case reading
    case complete
    /// The rest will not be read: it is malformed, too large or too late.
    case abandoned
  }

  /// How far its response has been handed over.
  enum ResponseSide: Sendable {
    case pending
    case started
    case complete
  }

  struct Exchange: Sendable {
    var request: RequestSide
    var response = ResponseSide.pending
    var keepsAlive: Bool
  }

  enum Phase: Sendable {
    /// Keys are being agreed on.
    case handshake(since: Instant)
    /// Between requests.
    case idle
    /// A part of a head has arrived.
    case head(since: Instant)
    case exchange(Exchange)
    /// The bytes are no HTTP any more.
    case upgraded
    /// The last response is being sent; then the connection ends.
    case flushing
    /// All is sent and our side is shut; the peer may read on before the descriptor is closed (RFC 9112 §9.6).
    case lingering(since: Instant)
    case closed
  }

  /// What a missed deadline leads to.
  enum Lapse: Sendable, Equatable {
    case closeQuietly
    /// Answer 408.
    case refuseHead
    /// Let the reader of the body fail with 408.
    case abandonBody
    case abort
    /// The peer seems to be gone; let the handler know.
    case cancel
  }

  struct Limits: Sendable {
    var head: Duration
    var idle: Duration
    /// The window in which a body must move by `bodyProgress` bytes, in either direction.
    var progress: Duration
    var bodyProgress = 1024
    var linger = Duration.seconds(1)
    /// How long a client that sends no more is waited for, if there is nothing to send to it.
    var halfClosed = Duration.seconds(1)
  }

  /// A rest of a request's body up to this length is read and dropped to keep the connection.
  static let drainLimit: Int64 = 64 * 1024

  private(set) var phase: Phase
  private(set) var peerEnded = false
  private(set) var isStopping = false
  private(set) var isPaused = false
  private var hasCancelled = false
  /// The window in which a minimum of bytes must move.
  private var windowStart: Instant
  private var windowBytes = 0
  private var lastMoved: Instant

  init(now: Instant, beginsWithHandshake: Bool = false) {
    phase = beginsWithHandshake ? .handshake(since: now) : .idle
    windowStart = now
    lastMoved = now
  }

  // MARK: - Questions

  var isClosed: Bool { if case .closed = phase { true } else { false } }
  var isLingering: Bool { if case .lingering = phase { true } else { false } }
  var isInHandshake: Bool { if case .handshake = phase { true } else { false } }

  /// Whether no request is under way, though one may have begun to arrive.
  var awaitsHead: Bool {
    switch phase {
    case .handshake, .idle, .head: true
    case .exchange, .upgraded, .flushing, .lingering, .closed: false
    }
  }

  /// Whether a further request may follow.
  var expectsRequests: Bool {
    switch phase {
    case .handshake, .idle, .head, .exchange: true
    case .upgraded, .flushing, .lingering, .closed: false
    }
  }

  /// Whether the parser may be asked for its next event.
  var parses: Bool {
    switch phase {
    case .idle, .head: true
    case .exchange(let exchange):
      (exchange.request == .reading || exchange.request == .awaitingContinue) && !isPaused
    case .handshake, .upgraded, .flushing, .lingering, .closed: false
    }
  }

  /// Whether the socket should be read.
  ///
  /// - Parameter hasRoom: whether requests ahead of their turn may be kept.
  func reads(hasRoom: Bool) -> Bool {
    guard !peerEnded else { return false }
    switch phase {
    case .handshake, .idle, .head, .lingering: return true
    case .exchange(let exchange):
      switch exchange.request {
      case .awaitingContinue: return true
      case .reading: return !isPaused
      case .complete: return hasRoom
      case .abandoned: return false
      }
    case .upgraded: return !isPaused
    case .flushing, .closed: return false
    }
  }

  /// Whether nothing has moved for so long.
  func isQuiet(for interval: Duration, at now: Instant) -> Bool { now - lastMoved >= interval }

  // MARK: - Handshake

  mutating func handshakeEnded(at now: Instant) {
    phase = .idle
    lastMoved = now
  }

  /// What is wrong has been told to the peer, which may read it before the descriptor is closed.
  mutating func handshakeFailed(at now: Instant) { phase = .lingering(since: now) }

  // MARK: - Request

  /// Bytes have come in or gone out.
  mutating func moved(_ count: Int, at now: Instant) {
    windowBytes += count
    lastMoved = now
  }

  /// The socket does not take everything at once: from now on the peer must read.
  mutating func outputBegan(at now: Instant) { openWindow(now) }

  /// Part of a head waits in the parser.
  mutating func headBegan(at now: Instant) {
    if case .idle = phase { phase = .head(since: now) }
  }

  mutating func headEnded(keepsAlive: Bool, request: RequestSide, at now: Instant) {
    phase = .exchange(Exchange(request: request, keepsAlive: keepsAlive && !isStopping))
    isPaused = false
    openWindow(now)
  }

  /// A part of the body has come; a client that was to wait for `100 Continue` does not need it any more.
  mutating func bodyArrived() {
    changeExchange { if $0.request == .awaitingContinue { $0.request = .reading } }
  }

  /// The reader is behind: stop reading.
  mutating func pause() { isPaused = true }

  /// The reader asks for more.
  ///
  /// - Returns: whether `100 Continue` is due.
  mutating func bodyDemanded(at now: Instant) -> Bool {
    if isPaused { openWindow(now) }
    isPaused = false
    guard case .exchange(var exchange) = phase, exchange.request == .awaitingContinue else { return false }
    exchange.request = .reading
    phase = .exchange(exchange)
    openWindow(now)
    return exchange.response == .pending
  }

  mutating func bodyEnded(at now: Instant) {
    changeExchange { $0.request = .complete }
    endExchange(now)
  }

  /// The request breaks off; what has been asked is answered, then the connection ends.
  mutating func requestFailed(at now: Instant) {
    changeExchange {
      $0.request = .abandoned
      $0.keepsAlive = false
    }
    if awaitsHead { phase = .exchange(Exchange(request: .abandoned, keepsAlive: false)) }
    endExchange(now)
  }

  // MARK: - Response

  /// The response begins.
  ///
  /// - Parameters:
  ///   - remaining: how much of the request's body is to come, if known.
  ///   - allowsKeepAlive: whether the response itself leaves the connection usable.
  /// - Returns: whether the connection will be kept, which the head has to say; nil when there is nobody to answer.
  mutating func responseBegan(remaining: Int64?, allowsKeepAlive: Bool, at now: Instant) -> Bool? {
    guard case .exchange(var exchange) = phase, exchange.response == .pending else { return nil }
    exchange.response = .started
    switch exchange.request {
    case .complete: break
    case .reading: if remaining.map({ $0 > Self.drainLimit }) ?? true { exchange.keepsAlive = false }
    // Whether the client will send the body after all cannot be known.
    case .awaitingContinue, .abandoned: exchange.keepsAlive = false
    }
    if !allowsKeepAlive || isStopping { exchange.keepsAlive = false }
    phase = .exchange(exchange)
    openWindow(now)
    return exchange.keepsAlive
  }

  /// The response's last byte has been handed over.
  mutating func responseEnded(at now: Instant) {
    changeExchange { $0.response = .complete }
    isPaused = false
    endExchange(now)
  }

  /// The response makes something else of the connection.
  ///
  /// - Returns: false when that cannot be: the request is not complete, the peer or the server is about to end.
  mutating func upgrade(at now: Instant) -> Bool {
    guard case .exchange(let exchange) = phase, exchange.request == .complete, exchange.response == .pending,
      !peerEnded, !isStopping
    else { return false }
    phase = .upgraded
    isPaused = false
    return true
  }

  /// What has been upgraded goes on reading.
  mutating func resume() { if case .upgraded = phase { isPaused = false } }

  /// What the connection had become has come to its end.
  mutating func channelEnded(at now: Instant) {
    guard case .upgraded = phase else { return }
    phase = .flushing
    openWindow(now)
  }

  /// Nothing waits to be sent.
  ///
  /// - Returns: whether the sending side is to be shut now.
  mutating func outputDrained(at now: Instant) -> Bool {
    switch phase {
    case .flushing:
      phase = peerEnded ? .closed : .lingering(since: now)
      return true
    case .idle, .head:
      // What the peer had asked before it ended has been answered.
      if peerEnded { phase = .closed }
      return peerEnded
    case .handshake, .exchange, .upgraded, .lingering, .closed:
      return false
    }
  }

  // MARK: - End

  /// The peer sends no more. It may still read: what has been asked completely is answered.
  ///
  /// - Returns: whether the connection is to be closed.
  mutating func peerDidEnd(at now: Instant, hasOutput: Bool) -> Bool {
    peerEnded = true
    switch phase {
    case .idle, .head: return !hasOutput
    case .handshake, .upgraded, .lingering, .closed: return true
    case .flushing: return false
    case .exchange(let exchange):
      lastMoved = now
      return exchange.request == .reading || exchange.request == .awaitingContinue
    }
  }

  /// The server stops: no further request.
  ///
  /// - Returns: whether the connection is to be closed.
  mutating func stop(hasOutput: Bool) -> Bool {
    isStopping = true
    guard awaitsHead else { return false }
    if hasOutput { phase = .flushing }
    return !hasOutput
  }

  mutating func close() { phase = .closed }

  /// Looks at the clock.
  mutating func lapse(at now: Instant, hasOutput: Bool, limits: Limits) -> Lapse? {
    switch phase {
    case .idle:
      // The last response may still be on its way.
      if hasOutput { return isStuck(now, limits) ? .abort : nil }
      return now - lastMoved >= limits.idle ? .closeQuietly : nil
    case .handshake(let since): return now - since >= limits.head ? .closeQuietly : nil
    case .head(let since): return now - since >= limits.head ? .refuseHead : nil
    case .lingering(let since): return now - since >= limits.linger ? .closeQuietly : nil
    case .flushing: return isStuck(now, limits) ? .abort : nil
    case .upgraded: return hasOutput && isStuck(now, limits) ? .abort : nil
    case .closed: return nil
    case .exchange(let exchange):
      if hasOutput { return isStuck(now, limits) ? .abort : nil }
      if exchange.request == .reading, !isPaused {
        guard isStuck(now, limits) else { return nil }
        return exchange.response == .pending ? .abandonBody : .abort
      }
      guard peerEnded, !hasCancelled, now - lastMoved >= limits.halfClosed else { return nil }
      hasCancelled = true
      return .cancel
    }
  }

  // MARK: - Helpers

  private mutating func changeExchange(_ change: (inout Exchange) -> Void) {
    guard case .exchange(var exchange) = phase else { return }
    change(&exchange)
    phase = .exchange(exchange)
  }

  private mutating func endExchange(_ now: Instant) {
    guard case .exchange(let exchange) = phase, exchange.response == .complete else { return }
    guard exchange.keepsAlive, !isStopping else {
      phase = .flushing
      openWindow(now)
      return
    }
    if exchange.request == .complete { phase = .idle }
  }

  private mutating func openWindow(_ now: Instant) {
    windowStart = now
    windowBytes = 0
  }

  /// Whether a window has passed without the minimum of movement; opens the next one if it has not.
  private mutating func isStuck(_ now: Instant, _ limits: Limits) -> Bool {
    guard now - windowStart >= limits.progress else { return false }
    if windowBytes < limits.bodyProgress { return true }
    openWindow(now)
    return false
  }
}

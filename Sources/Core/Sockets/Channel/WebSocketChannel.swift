internal import SwiftwaterStreams

/// Joins the application's end of a WebSocket, a ``WebSocketConnection``, with the driver that moves its bytes.
///
/// The driver owns the channel and feeds it: `received`, `takeOutput`, `tick`, `linkClosed`. None of these waits or
/// calls the link; what has to be done is added to a ``WebSocketReaction``. The application's calls encode on their own
/// thread and reach the driver through its ``WebSocketLink``.
///
/// ```
/// let channel = WebSocketChannel(role: .server, agreement: agreement, configuration: configuration, link: self)
/// let connection = channel.makeConnection()       // once; for the application
///
/// locked { state in                               // whenever bytes have arrived
///   channel.received(bytes, at: .now, &reaction)
///   if reaction.pausesReading { … }
///   while let chunk = channel.takeOutput(&reaction) { … }   // at once if `hasOutput`, and from `outputIsReady`
/// }
/// reaction.wake()
/// ```
///
/// - Threading: every member may be called from any thread, `received` by one at a time. The channel keeps its link
///   until `linkClosed`, which has to be called once in every case.
package final class WebSocketChannel: Sendable {
  private let core: LockIsolated<WebSocketChannelCore>
  /// Only senders take this lock, outside of the other one: compressing takes time, for which the driver must not wait.
  private let deflater: LockIsolated<MessageDeflater>?
  private let threshold: Int
  let subprotocol: String?

  /// A channel over a connection whose opening handshake is done.
  package init(
    role: WebSocketRole, agreement: WebSocketAgreement, configuration: WebSocketConfiguration,
    link: any WebSocketLink, now: ContinuousClock.Instant = .now
  ) {
    core = LockIsolated(
      WebSocketChannelCore(
        session: WebSocketSession(
          role: role, compression: agreement.compression, configuration: configuration, now: now),
        link: link))
    deflater = agreement.compression.map {
      LockIsolated(MessageDeflater(takesContextOver: $0.takesContextOver(role), windowBits: $0.windowBits(of: role)))
    }
    threshold = configuration.compression?.threshold ?? 0
    subprotocol = agreement.subprotocol
  }

  /// The application's end. When it is released while it is open, the connection is closed with code 1001.
  package func makeConnection() -> any WebSocketConnection { ChannelConnection(channel: self) }

  // MARK: - The driver

  /// Takes what the peer has sent. All bytes are taken, also after `pausesReading` and after the end.
  package func received(
    _ bytes: UnsafeRawBufferPointer, at now: ContinuousClock.Instant, _ reaction: inout WebSocketReaction
  ) {
    // In parts, so that those who send and receive meanwhile need not wait for all of it.
    var rest = bytes
    repeat {
      // unsafe: the pointer is used before withLock returns and not kept.
      nonisolated(unsafe) let part = UnsafeRawBufferPointer(rebasing: rest.prefix(16_384))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
      change(&reaction) { core, reaction in core.received(part, at: now, &reaction) }
    } while !rest.isEmpty
  }

  /// Whether the driver is to read no more at this moment, since the application does not receive.
  package var isReadingPaused: Bool { core.withLock { $0.isReadingPaused } }

  /// The bytes to write next; nil when there are none, and `outputIsReady` or `hasOutput` will tell of new ones.
  package func takeOutput(_ reaction: inout WebSocketReaction) -> [UInt8]? {
    change(&reaction) { core, reaction in core.takeOutput(&reaction) }
  }

  /// Does what is due: keepalive and deadlines.
  ///
  /// Call it about four times a second, or else after every other call and at the moment that it has returned.
  ///
  /// - Returns: When to call it again at the latest; nil: not before something else happens.
  package func tick(
    _ now: ContinuousClock.Instant, _ reaction: inout WebSocketReaction
  ) -> ContinuousClock.Instant? {
    let (next, isIdle) = change(&reaction) { core, reaction in core.tick(now, &reaction) }
    if isIdle { deflater?.withLock { $0.release() } }
    return next
  }

  /// The connection has ended: the peer closed it, it broke, or the driver has closed it.
  ///
  /// - Parameter error: What is known about it, for the application; nil at a plain end.
  package func linkClosed(_ error: WebSocketError?, _ reaction: inout WebSocketReaction) {
    let link = change(&reaction) { core, reaction in core.linkClosed(error, &reaction) }
    withExtendedLifetime(link) {}
  }

  /// Begins to close without waiting, as a server does when a handler has returned or it shuts down itself.
  package func beginClosing(code: WebSocketCloseCode, reason: String = "") {
    act { core, reaction in core.close(code: code, reason: reason, &reaction) }
  }

  // MARK: - Locking

  private func change<Result: Sendable>(
    _ reaction: inout WebSocketReaction,
    _ body: (inout WebSocketChannelCore, inout WebSocketReaction) -> Result
  ) -> Result {
    core.withLock { body(&$0, &reaction) }
  }

  /// For the application's calls: performs the reaction itself.
  func act<Result: Sendable>(
    _ body: (inout WebSocketChannelCore, inout WebSocketReaction) -> Result
  ) -> Result {
    var reaction = WebSocketReaction()
    let (result, link) = core.withLock { (body(&$0, &reaction), reaction.concernsLink ? $0.link : nil) }
    reaction.perform(on: link)
    return result
  }

  // MARK: - Sending

  /// Queues a message, unless there is no room for it and it has not been admitted.
  func offer(_ message: WebSocketMessage, isAdmitted: Bool) throws(WebSocketError) -> Bool {
    let offer: WebSocketChannelCore.Offer
    switch message {
    case .text(var text): offer = text.withUTF8 { self.offer(.text, UnsafeRawBufferPointer($0), isAdmitted) }
    case .binary(let bytes): offer = bytes.withUnsafeBytes { self.offer(.binary, $0, isAdmitted) }
    }
    switch offer {
    case .queued: return true
    case .full: return false
    case .refused(let error): throw error
    }
  }

  func offer(
    _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, _ isAdmitted: Bool
  ) -> WebSocketChannelCore.Offer {
    guard deflater != nil, !opcode.isControl, payload.count >= threshold else {
      return act { core, reaction in core.offer(opcode, payload, isAdmitted: isAdmitted, &reaction) }
    }
    if let objection = act({ core, _ in core.objection(isAdmitted: isAdmitted) }) { return objection }
    // Frames have to leave in the order in which they were compressed.
    var reaction = WebSocketReaction()
    let (offer, link) = compressing(payload) { payload, isCompressed in
      change(&reaction) { core, reaction in
        (core.offer(opcode, payload, isCompressed: isCompressed, isAdmitted: true, &reaction), core.link)
      }
    }
    reaction.perform(on: link)
    return offer
  }

  /// Whether zlib's state for sending exists at this moment.
  var isDeflaterResident: Bool { deflater?.withLock { $0.isResident } ?? false }

  private func compressing<Result: Sendable>(
    _ payload: UnsafeRawBufferPointer,
    _ body: (_ payload: UnsafeRawBufferPointer, _ isCompressed: Bool) -> Result
  ) -> Result {
    func compress(_ deflater: inout MessageDeflater) -> Result {
      guard let compressed = deflater.deflate(payload) else { return body(payload, false) }
      return compressed.withUnsafeBytes { body($0, true) }
    }
    func locked(_ body: (inout MessageDeflater) -> Result) -> Result? { deflater?.withLock { body(&$0) } }
    return locked(compress) ?? body(payload, false)
  }
}

/// What a channel's lock guards: the session, the tasks that wait, and what the driver has been told.
struct WebSocketChannelCore {
  typealias Receiver = WebSocketWait<WebSocketMessage?, any Error>
  typealias Sender = WebSocketWait<Void, any Error>
  typealias Closer = WebSocketWait<Void, Never>

  /// What became of a message.
  enum Offer: Sendable {
    case queued
    /// The sender has to wait to be admitted.
    case full
    case refused(WebSocketError)
  }

  /// What a receiver gets.
  enum Attempt: Sendable {
    case finished(Result<WebSocketMessage?, any Error>)
    case wait
  }

  /// After so long without traffic spare memory is given back.
  private static let idleTime: Duration = .seconds(5)

  private(set) var session: WebSocketSession
  private(set) var link: (any WebSocketLink)?
  /// Bytes that have arrived but were not looked at, since the inbox is full.
  private var unparsed: [UInt8] = []
  private(set) var isReadingPaused = false
  private var isOutputAnnounced = false
  private var isWritingFinished = false
  private var isCut = false

  private var receiver: Receiver?
  private var senders: [Sender] = []
  /// A sender has been admitted that has not sent yet; the next one waits for it.
  private var isAdmitting = false
  private var closers: [Closer] = []
  private var lastID: UInt64 = 0

  private var hasBeenActive = true
  /// When the last traffic was noticed; nil once spare memory was given back.
  private var activeSince: ContinuousClock.Instant?

  init(session: WebSocketSession, link: any WebSocketLink) {
    self.session = session
    self.link = link
  }

  var waitingSenders: Int { senders.count }
  var waitingClosers: Int { closers.count }
  var isReceiving: Bool { receiver != nil }

  /// A number for a wait, by which it can be cancelled.
  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  // MARK: - The driver

  mutating func received(
    _ bytes: UnsafeRawBufferPointer, at now: ContinuousClock.Instant, _ reaction: inout WebSocketReaction
  ) {
    hasBeenActive = true
    if unparsed.isEmpty {
      let count = session.receive(bytes, at: now)
      if count < bytes.count { unparsed.append(contentsOf: bytes[count...]) }
    } else {
      unparsed.append(contentsOf: bytes)
    }
    settle(&reaction)
    // A receiver that takes the message before them makes room for bytes that were left, but perhaps not for all.
    if session.isFull || !unparsed.isEmpty, !session.isReceivingOver { isReadingPaused = true }
    reaction.pausesReading = isReadingPaused
  }

  mutating func takeOutput(_ reaction: inout WebSocketReaction) -> [UInt8]? {
    let bytes = session.takeOutput()
    if bytes == nil { isOutputAnnounced = false }
    settle(&reaction, announcesOutput: bytes == nil)
    return bytes
  }

  mutating func tick(
    _ now: ContinuousClock.Instant, _ reaction: inout WebSocketReaction
  ) -> (next: ContinuousClock.Instant?, isIdle: Bool) {
    let next = session.tick(now, isReadingPaused: isReadingPaused)
    settle(&reaction)
    if hasBeenActive {
      hasBeenActive = false
      activeSince = now
    }
    guard let active = activeSince else { return (next, false) }
    let idle = active + Self.idleTime
    guard now >= idle else { return (min(next ?? idle, idle), false) }
    activeSince = nil
    session.releaseSpareMemory()
    return (next, true)
  }

  /// Returns the link, to be released outside of the lock.
  mutating func linkClosed(_ error: WebSocketError?, _ reaction: inout WebSocketReaction) -> (any WebSocketLink)? {
    session.linkClosed(error)
    settle(&reaction)
    defer { link = nil }
    return link
  }

  // MARK: - Sending

  /// Whether a sender that comes now need not wait.
  private var hasRoom: Bool {
    senders.isEmpty && !isAdmitting && session.output.count < session.configuration.sendBufferBytes
  }

  /// Why a message cannot be queued now; nil when it can.
  func objection(isAdmitted: Bool) -> Offer? {
    guard session.canSend else { return .refused(refusal) }
    return isAdmitted || hasRoom ? nil : .full
  }

  mutating func offer(
    _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool = false, isAdmitted: Bool,
    _ reaction: inout WebSocketReaction
  ) -> Offer {
    if let objection = objection(isAdmitted: isAdmitted) { return objection }
    hasBeenActive = true
    session.send(opcode, payload, isCompressed: isCompressed)
    settle(&reaction)
    return .queued
  }

  /// Lets a sender wait for its turn.
  mutating func awaitRoom(_ sender: Sender, _ reaction: inout WebSocketReaction) {
    senders.append(sender)
    settle(&reaction)
  }

  /// A sender that was admitted has sent its message, or has failed to.
  mutating func admissionUsed(_ reaction: inout WebSocketReaction) {
    isAdmitting = false
    settle(&reaction)
  }

  mutating func cancelSender(_ id: UInt64) -> Sender? {
    senders.firstIndex { $0.id == id }.map { senders.remove(at: $0) }
  }

  private var refusal: WebSocketError {
    if case .failure(let error) = session.end { return error }
    return WebSocketError(code: .closed, message: "The WebSocket is closed; open a new one to send.")
  }

  // MARK: - Receiving

  mutating func receive(waiting: Receiver?, _ reaction: inout WebSocketReaction) -> Attempt {
    guard receiver == nil else {
      return .finished(
        .failure(WebSocketError(code: .alreadyReceiving, message: "Another task receives from this WebSocket.")))
    }
    if let result = resultForNext() {
      settle(&reaction)
      return .finished(result)
    }
    receiver = waiting
    return .wait
  }

  mutating func cancelReceiver(_ id: UInt64) -> Receiver? {
    guard let waiting = receiver, waiting.id == id else { return nil }
    receiver = nil
    return waiting
  }

  /// What somebody gets who asks for the next message, and so has dealt with those before: the moment to answer a Close.
  private mutating func resultForNext() -> Result<WebSocketMessage?, any Error>? {
    if let result = nextResult() { return result }
    session.answerCloseIfDue()
    return nextResult()
  }

  /// The next message or the end, after looking at bytes for which there is room again.
  private mutating func nextResult() -> Result<WebSocketMessage?, any Error>? {
    parseRest()
    if let message = session.takeMessage() { return .success(message) }
    guard unparsed.isEmpty else { return nil }
    session.concludeIfLinkClosed()
    return session.end?.map { nil }.mapError { $0 }
  }

  /// Looks at bytes that were left, once there is room.
  private mutating func parseRest() {
    guard !unparsed.isEmpty, hasDrained else { return }
    var rest: [UInt8] = []
    swap(&rest, &unparsed)
    let count = rest.withUnsafeBytes { session.receive($0, at: nil) }
    if count < rest.count { unparsed = Array(rest[count...]) }
  }

  /// Whether half of the inbox is free, or nothing comes into it any more.
  private var hasDrained: Bool {
    session.isReceivingOver || session.dropsMessages
      || session.inbox.byteCount <= session.configuration.receiveBufferBytes / 2
  }

  // MARK: - Closing

  mutating func close(code: WebSocketCloseCode, reason: String, _ reaction: inout WebSocketReaction) {
    session.close(code: code, reason: reason)
    settle(&reaction)
  }

  /// The application has released its end.
  mutating func abandon(_ reaction: inout WebSocketReaction) {
    session.discardInbox()
    close(code: .goingAway, reason: "", &reaction)
  }

  /// Whether there is nothing to wait for.
  var hasEnded: Bool { session.end != nil || session.isLinkClosed }

  mutating func awaitEnd(_ closer: Closer) -> Bool {
    guard !hasEnded else { return false }
    closers.append(closer)
    return true
  }

  mutating func cancelCloser(_ id: UInt64) -> Closer? {
    closers.firstIndex { $0.id == id }.map { closers.remove(at: $0) }
  }

  /// The code and the reason of the end, nil before.
  var closing: (code: WebSocketCloseCode?, reason: String?) {
    guard hasEnded else { return (nil, nil) }
    return (session.peerCode ?? .abnormalClosure, session.peerReason)
  }

  // MARK: - Consequences

  /// Finds out whom the new state concerns.
  private mutating func settle(_ reaction: inout WebSocketReaction, announcesOutput: Bool = true) {
    settleReceiver(&reaction)
    settleReading(&reaction)
    settleSenders(&reaction)
    if !closers.isEmpty, hasEnded {
      reaction.wakeups += closers.map { .closer($0.continuation) }
      closers = []
    }
    guard !session.isLinkClosed else { return }
    if announcesOutput, !isOutputAnnounced, !session.output.isEmpty {
      isOutputAnnounced = true
      reaction.hasOutput = true
    }
    if session.role == .server, session.isSendingOver, session.output.isEmpty, !isWritingFinished {
      isWritingFinished = true
      reaction.finishesWriting = true
    }
    if session.isAbandoned, !isCut {
      isCut = true
      reaction.closesLink = true
    }
  }

  private mutating func settleReceiver(_ reaction: inout WebSocketReaction) {
    guard let waiting = receiver, let result = resultForNext() else { return }
    receiver = nil
    reaction.wakeups.append(.receiver(waiting.continuation, result))
  }

  private mutating func settleReading(_ reaction: inout WebSocketReaction) {
    parseRest()
    guard isReadingPaused, unparsed.isEmpty, hasDrained else { return }
    isReadingPaused = false
    reaction.resumesReading = true
  }

  private mutating func settleSenders(_ reaction: inout WebSocketReaction) {
    guard !senders.isEmpty else { return }
    guard session.canSend else {
      let error = refusal
      reaction.wakeups += senders.map { .sender($0.continuation, .failure(error)) }
      senders = []
      return
    }
    guard !isAdmitting, session.output.count <= session.configuration.sendBufferBytes / 2 else { return }
    isAdmitting = true
    reaction.wakeups.append(.sender(senders.removeFirst().continuation, .success(())))
  }
}

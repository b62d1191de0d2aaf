import SwiftwaterSockets
import SwiftwaterStreams

/// Two channels joined in memory, as a client and a server by a network.
///
/// Bytes move on the thread of whoever causes it, one direction at a time.
final class MemoryWire: Sendable {
  /// One way of the wire.
  fileprivate struct Way {
    var isRunning = false
    var again = false
    /// The receiver does not want to read.
    var isPaused = false
    /// The network takes nothing.
    var isStalled = false
    var isShut = false
    var deliveredBytes = 0
  }

  let client: WebSocketChannel
  let server: WebSocketChannel
  private let clientLink: Link
  private let serverLink: Link
  private let ways: [LockIsolated<Way>] = [LockIsolated(Way()), LockIsolated(Way())]
  private let largestPart: Int
  private let closings = LockIsolated<Set<WebSocketRole>>([])

  /// Joins two channels of the same agreement.
  ///
  /// - Parameter largestPart: Into parts of how many bytes what is sent is cut.
  init(
    agreement: WebSocketAgreement = WebSocketAgreement(),
    client: WebSocketConfiguration = WebSocketConfiguration(), server: WebSocketConfiguration? = nil,
    now: ContinuousClock.Instant = .now, largestPart: Int = .max
  ) {
    clientLink = Link(role: .client)
    serverLink = Link(role: .server)
    self.client = WebSocketChannel(
      role: .client, agreement: agreement, configuration: client, link: clientLink, now: now)
    self.server = WebSocketChannel(
      role: .server, agreement: agreement, configuration: server ?? client, link: serverLink, now: now)
    self.largestPart = largestPart
    clientLink.wire.withLock { $0 = self }
    serverLink.wire.withLock { $0 = self }
  }

  /// Breaks the references in a circle, as a driver does that has ended.
  func tearDown() {
    close(.client)
    close(.server)
    clientLink.wire.withLock { $0 = nil }
    serverLink.wire.withLock { $0 = nil }
  }

  /// Bytes that have arrived at that side.
  func deliveredBytes(to role: WebSocketRole) -> Int { way(to: role).withLock { $0.deliveredBytes } }

  /// Lets the network take nothing more for that side, or take it again.
  func stall(_ isStalled: Bool, to role: WebSocketRole) {
    way(to: role).withLock { $0.isStalled = isStalled }
    move(from: role.other)
  }

  /// Tells both sides the time.
  func tick(_ now: ContinuousClock.Instant) {
    for role in [WebSocketRole.client, .server] {
      var reaction = WebSocketReaction()
      _ = channel(role).tick(now, &reaction)
      perform(reaction, of: role)
    }
  }

  /// Cuts the wire.
  func cut(_ error: WebSocketError? = nil) {
    close(.client, error)
    close(.server, error)
  }

  /// Whether that side's link has been closed.
  func isClosed(_ role: WebSocketRole) -> Bool { closings.withLock { $0.contains(role) } }

  private func channel(_ role: WebSocketRole) -> WebSocketChannel { role == .client ? client : server }
  private func way(to role: WebSocketRole) -> LockIsolated<Way> { ways[role == .client ? 0 : 1] }

  fileprivate func move(from role: WebSocketRole) {
    let way = way(to: role.other)
    guard way.withLock({ $0.begin() }) else { return }
    repeat {
      while way.withLock({ !$0.isPaused && !$0.isStalled }) {
        var reaction = WebSocketReaction()
        let chunk = channel(role).takeOutput(&reaction)
        if let chunk { deliver(chunk, to: role.other) }
        perform(reaction, of: role)
        if chunk == nil { break }
      }
    } while way.withLock({ $0.end() })
    if way.withLock({ $0.isShut && !$0.isRunning }) { close(role.other) }
  }

  private func deliver(_ chunk: [UInt8], to role: WebSocketRole) {
    way(to: role).withLock { $0.deliveredBytes += chunk.count }
    chunk.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        var reaction = WebSocketReaction()
        let part = UnsafeRawBufferPointer(rebasing: rest.prefix(largestPart))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
        channel(role).received(part, at: .now, &reaction)
        perform(reaction, of: role)
      }
    }
  }

  private func perform(_ reaction: WebSocketReaction, of role: WebSocketRole) {
    if reaction.pausesReading || reaction.resumesReading { notePause(of: role) }
    if reaction.finishesWriting { shut(role) }
    if reaction.closesLink { cut() }
    reaction.wake()
    if reaction.hasOutput { move(from: role) }
  }

  fileprivate func resume(_ role: WebSocketRole) {
    notePause(of: role)
    move(from: role.other)
  }

  private func notePause(of role: WebSocketRole) {
    way(to: role).withLock { $0.isPaused = channel(role).isReadingPaused }
  }

  fileprivate func shut(_ role: WebSocketRole) {
    let isFree = way(to: role.other).withLock { way in
      way.isShut = true
      return !way.isRunning
    }
    if isFree { close(role.other) }
  }

  /// The peer of a side that has shut its direction sees the end, and closes.
  private func close(_ role: WebSocketRole, _ error: WebSocketError? = nil) {
    guard closings.withLock({ $0.insert(role).inserted }) else { return }
    var reaction = WebSocketReaction()
    channel(role).linkClosed(error, &reaction)
    reaction.wake()
    close(role.other, error)
  }

  private final class Link: WebSocketLink {
    let role: WebSocketRole
    let wire = LockIsolated<MemoryWire?>(nil)

    init(role: WebSocketRole) { self.role = role }

    func outputIsReady() { wire.value?.move(from: role) }
    func resumeReading() { wire.value?.resume(role) }
    func finishWriting() { wire.value?.shut(role) }
    func closeLink() { wire.value?.cut() }
  }
}

extension MemoryWire.Way {
  fileprivate mutating func begin() -> Bool {
    guard !isRunning else {
      again = true
      return false
    }
    isRunning = true
    return true
  }

  /// Whether to go on.
  fileprivate mutating func end() -> Bool {
    if again {
      again = false
      return true
    }
    isRunning = false
    return false
  }
}

extension WebSocketRole {
  var other: WebSocketRole { self == .client ? .server : .client }
}

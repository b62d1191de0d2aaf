import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSockets

@Suite("Channels", .timeLimit(.minutes(5)))
struct ChannelTests {
  private func pair(
    _ configuration: WebSocketConfiguration = WebSocketConfiguration(), now: ContinuousClock.Instant = .now
  ) -> (wire: MemoryWire, client: any WebSocketConnection, server: any WebSocketConnection) {
    let wire = MemoryWire(client: configuration, now: now)
    return (wire, wire.client.makeConnection(), wire.server.makeConnection())
  }

  private func error(_ body: () async throws -> Void) async -> (any Error)? {
    do {
      try await body()
      return nil
    } catch { return error }
  }

  // MARK: - Back-pressure

  @Test("A receiver that does not receive stops the sender; everything arrives once it does")
  func backPressure() async throws {
    var configuration = WebSocketConfiguration()
    configuration.sendBufferBytes = 50_000
    configuration.receiveBufferBytes = 50_000
    let (wire, client, server) = pair(configuration)
    defer { wire.tearDown() }
    let sent = LockIsolated(0)
    let sender = Task {
      for index in 0..<500 {
        try await client.send(.binary([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 1_000)))
        sent.withLock { $0 += 1 }
      }
    }
    // Both buffers and one delivery of at most 64 KiB.
    #expect(await eventually { wire.client.waitingSenders == 1 })
    #expect(sent.value < 250)
    #expect(wire.deliveredBytes(to: .server) < 150_000)
    for index in 0..<500 {
      let message = try await server.receive()
      #expect(message == .binary([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 1_000)))
    }
    try await sender.value
  }

  @Test("A network that takes nothing stops the sender, who goes on when it does")
  func stalledNetwork() async throws {
    var configuration = WebSocketConfiguration()
    configuration.sendBufferBytes = 10_000
    let (wire, client, server) = pair(configuration)
    defer { wire.tearDown() }
    wire.stall(true, to: .server)
    let sender = Task { for _ in 0..<100 { try await client.send([UInt8](repeating: 0, count: 1_000)) } }
    #expect(await eventually { wire.client.waitingSenders == 1 })
    wire.stall(false, to: .server)
    for _ in 0..<100 { #expect(try await server.receive() != nil) }
    try await sender.value
  }

  @Test("A cancelled send has sent nothing, and those who wait behind it get their turn")
  func cancelledSend() async throws {
    var configuration = WebSocketConfiguration()
    configuration.sendBufferBytes = 1_000
    let (wire, client, server) = pair(configuration)
    defer { wire.tearDown() }
    wire.stall(true, to: .server)
    try await client.send(String(repeating: "a", count: 2_000))
    let cancelled = Task { try await client.send("cancelled") }
    #expect(await eventually { wire.client.waitingSenders == 1 })
    let waiting = Task { try await client.send("waiting") }
    #expect(await eventually { wire.client.waitingSenders == 2 })
    cancelled.cancel()
    #expect(await error { try await cancelled.value } is CancellationError)
    wire.stall(false, to: .server)
    try await waiting.value
    #expect(try await server.receive() == .text(String(repeating: "a", count: 2_000)))
    #expect(try await server.receive() == .text("waiting"))
  }

  @Test("A task that is cancelled before it begins neither sends nor receives")
  func cancelledBefore() async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    try await server.send("kept")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(await self.error { try await client.send("no") } is CancellationError)
      #expect(await self.error { _ = try await client.receive() } is CancellationError)
    }
    await task.value
    #expect(try await client.receive() == .text("kept"))
    #expect(wire.deliveredBytes(to: .server) == 0)
  }

  @Test("A cancelled receive loses no message")
  func cancelledReceive() async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    let count = 2_000
    let sender = Task { for index in 0..<count { try await server.send("\(index)") } }
    var received: [WebSocketMessage] = []
    while received.count < count {
      let receiver = Task { try await client.receive() }
      if received.count.isMultiple(of: 2) { receiver.cancel() }
      do { if let message = try await receiver.value { received.append(message) } } catch is CancellationError {
        let next = try await client.receive()
        received.append(try #require(next))
      }
    }
    try await sender.value
    #expect(received == (0..<count).map { .text("\($0)") })
  }

  @Test("A waiting receive that is cancelled throws at once; the next one goes on")
  func cancelledWaitingReceive() async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    let receiver = Task { try await client.receive() }
    #expect(await eventually { wire.client.isReceiving })
    #expect((await error { _ = try await client.receive() } as? WebSocketError)?.code == .alreadyReceiving)
    receiver.cancel()
    #expect(await error { _ = try await receiver.value } is CancellationError)
    try await server.send("next")
    #expect(try await client.receive() == .text("next"))
    let loop = Task { for try await _ in client.messages {} }
    #expect(await eventually { wire.client.isReceiving })
    loop.cancel()
    try await loop.value
  }

  // MARK: - Closing

  @Test("Whoever closes, both sides end clean and know the code", arguments: [WebSocketRole.client, .server])
  func closes(_ role: WebSocketRole) async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    let (active, passive) = role == .client ? (client, server) : (server, client)
    let receiver = Task { try await passive.receive() }
    #expect(passive.closeCode == nil)
    await active.close(code: .init(rawValue: 4321), reason: "because")
    #expect(try await receiver.value == nil)
    #expect(passive.closeCode?.rawValue == 4321)
    #expect(passive.closeReason == "because")
    #expect(active.closeCode?.rawValue == 4321)
    #expect(try await active.receive() == nil)
    #expect(try await passive.receive() == nil)
    for connection in [active, passive] {
      #expect((await error { try await connection.send("late") } as? WebSocketError)?.code == .closed)
      #expect((await error { try await connection.ping() } as? WebSocketError)?.code == .closed)
      await connection.close()
    }
    // The server has ended its direction, so the client's link is gone as well.
    #expect(wire.isClosed(.client))
    #expect(wire.isClosed(.server))
  }

  @Test("Both sides closing at once end clean")
  func closesAtOnce() async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    wire.stall(true, to: .server)
    wire.stall(true, to: .client)
    let first = Task { await client.close(code: .normalClosure, reason: "") }
    let second = Task { await server.close(code: .goingAway, reason: "") }
    #expect(await eventually { wire.client.waitingClosers == 1 && wire.server.waitingClosers == 1 })
    wire.stall(false, to: .server)
    wire.stall(false, to: .client)
    await first.value
    await second.value
    #expect(client.closeCode == .goingAway)
    #expect(server.closeCode == .normalClosure)
    #expect(try await client.receive() == nil)
    #expect(try await server.receive() == nil)
  }

  @Test("What was sent before a Close arrives before it, and can be replied to")
  func messagesBeforeClose() async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    try await client.send("one")
    try await client.send("two")
    let closing = Task { await client.close() }
    #expect(try await server.receive() == .text("one"))
    try await server.send("reply")
    #expect(try await server.receive() == .text("two"))
    #expect(client.closeCode == nil)
    #expect(try await server.receive() == nil)
    await closing.value
    #expect(client.closeCode == .normalClosure)
  }

  @Test("A Close that is not answered ends at its deadline, and the link is closed")
  func closeDeadline() async throws {
    let start = ContinuousClock.now
    let (wire, client, server) = pair(now: start)
    defer { wire.tearDown() }
    wire.stall(true, to: .server)
    let closing = Task { await client.close() }
    #expect(await eventually { wire.client.waitingClosers == 1 })
    wire.tick(start)
    wire.tick(start + .seconds(4))
    #expect(!wire.isClosed(.client))
    wire.tick(start + .seconds(6))
    await closing.value
    #expect(wire.isClosed(.client))
    #expect(client.closeCode == .abnormalClosure)
    #expect((await error { _ = try await client.receive() } as? WebSocketError)?.code == .timeout)
    #expect((await error { _ = try await server.receive() } as? WebSocketError)?.code == .connectionLost)
  }

  @Test("A close sees the peer's answer also behind messages that nobody has received")
  func closeBehindFullInbox() async throws {
    var configuration = WebSocketConfiguration()
    configuration.receiveBufferBytes = 1_000
    configuration.sendBufferBytes = 1_000
    let (wire, client, server) = pair(configuration)
    defer { wire.tearDown() }
    let sender = Task { while true { try await server.send(String(repeating: "x", count: 100)) } }
    #expect(await eventually { wire.server.waitingSenders == 1 })
    let receiver = Task { try await server.receive() }
    await client.close()
    #expect(client.closeCode == .normalClosure)
    #expect(try await receiver.value == nil)
    #expect((await error { try await sender.value } as? WebSocketError)?.code == .closed)
    // What had arrived before can still be taken.
    #expect(try await client.receive() == .text(String(repeating: "x", count: 100)))
    var rest = 0
    while try await client.receive() != nil { rest += 1 }
    #expect(rest < 20)
  }

  @Test("A close whose task is cancelled returns at once and goes on")
  func cancelledClose() async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    try await client.send("unread")
    let closing = Task { await client.close() }
    #expect(await eventually { wire.client.waitingClosers == 1 })
    closing.cancel()
    await closing.value
    #expect(client.closeCode == nil)
    #expect(try await server.receive() == .text("unread"))
    #expect(try await server.receive() == nil)
    #expect(client.closeCode == .normalClosure)
  }

  @Test("A broken link ends everybody who waits, with the driver's words")
  func brokenLink() async throws {
    var configuration = WebSocketConfiguration()
    configuration.sendBufferBytes = 10
    let (wire, client, server) = pair(configuration)
    defer { wire.tearDown() }
    wire.stall(true, to: .server)
    try await client.send("more than ten bytes")
    let sender = Task { try await client.send("waits") }
    let receiver = Task { _ = try await client.receive() }
    #expect(await eventually { wire.client.waitingSenders == 1 && wire.client.isReceiving })
    wire.cut(WebSocketError(code: .connectionLost, message: "reset by peer"))
    for task in [sender, receiver] {
      let error = await error { try await task.value } as? WebSocketError
      #expect(error?.message == "reset by peer")
    }
    #expect(client.closeCode == .abnormalClosure)
    #expect((await error { _ = try await server.receive() } as? WebSocketError)?.code == .connectionLost)
    await client.close()
  }

  @Test("Messages that had arrived when the link broke are received before the error")
  func messagesBeforeLoss() async throws {
    var configuration = WebSocketConfiguration()
    configuration.receiveBufferBytes = 500
    let (wire, client, server) = pair(configuration)
    defer { wire.tearDown() }
    for index in 0..<100 { try await client.send("message \(index)") }
    let delivered = wire.deliveredBytes(to: .server)
    wire.cut()
    var count = 0
    let error = await error { while try await server.receive() != nil { count += 1 } } as? WebSocketError
    #expect(error?.code == .connectionLost)
    #expect(count > 10)
    // Each has 6 bytes of head and mask, and 9 or 10 of text.
    #expect(delivered == (0..<count).reduce(0) { $0 + 6 + "message \($1)".utf8.count })
  }

  @Test("A peer that breaks the protocol is told so, and its connection fails")
  func violation() async throws {
    let link = RecordingLink()
    let channel = WebSocketChannel(role: .server, agreement: .init(), configuration: .init(), link: link)
    let connection = channel.makeConnection()
    let receiver = Task { try await connection.receive() }
    #expect(await eventually { channel.isReceiving })
    var reaction = WebSocketReaction()
    RawFrame(3).masked().bytes.withUnsafeBytes { channel.received($0, at: .now, &reaction) }
    #expect(reaction.hasOutput)
    #expect(!reaction.finishesWriting)
    let bytes = channel.takeOutput(&reaction) ?? []
    #expect(SentFrame.all(in: bytes) == [.close(1002)])
    #expect(channel.takeOutput(&reaction) == nil)
    #expect(reaction.finishesWriting)
    reaction.wake()
    #expect((await error { _ = try await receiver.value } as? WebSocketError)?.code == .protocolViolation)
    var end = WebSocketReaction()
    channel.linkClosed(nil, &end)
    end.wake()
    #expect(link.calls.value.isEmpty)
  }

  @Test("The peer's silence after a ping ends the connection")
  func halfOpen() async throws {
    let start = ContinuousClock.now
    let (wire, client, server) = pair(now: start)
    defer { wire.tearDown() }
    wire.stall(true, to: .client)
    let receiver = Task { _ = try await client.receive() }
    wire.tick(start + .seconds(31))
    wire.tick(start + .seconds(45))
    #expect(!wire.isClosed(.client))
    wire.tick(start + .seconds(47))
    #expect((await error { try await receiver.value } as? WebSocketError)?.code == .timeout)
    #expect(wire.isClosed(.client))
    withExtendedLifetime(server) {}
  }

  @Test("A peer that answers pings stays, for hours")
  func keepsAlive() async throws {
    let start = ContinuousClock.now
    let (wire, client, server) = pair(now: start)
    defer { wire.tearDown() }
    // The wire tells real moments to `received`, so ticks come from later ones; only the pongs keep this alive.
    for _ in 0..<1_000 {
      wire.tick(.now + .seconds(31))
      wire.tick(.now + .seconds(32))
    }
    #expect(wire.deliveredBytes(to: .client) > 1_000)
    try await client.send("still here")
    #expect(try await server.receive() == .text("still here"))
  }

  @Test("Pings carry at most 125 bytes")
  func pings() async throws {
    let (wire, client, server) = pair()
    defer { wire.tearDown() }
    try await client.ping([UInt8](repeating: 1, count: 125))
    #expect(wire.deliveredBytes(to: .client) == 127)
    #expect(
      (await error { try await client.ping([UInt8](repeating: 1, count: 126)) } as? WebSocketError)?.code
        == .payloadTooLong)
    withExtendedLifetime(server) {}
  }

  // MARK: - Lifetime

  @Test("Releasing an open connection closes it with code 1001")
  func releasing() async throws {
    let wire = MemoryWire()
    defer { wire.tearDown() }
    let server = wire.server.makeConnection()
    var client: (any WebSocketConnection)? = wire.client.makeConnection()
    try await client?.send("hello")
    client = nil
    #expect(try await server.receive() == .text("hello"))
    #expect(try await server.receive() == nil)
    #expect(server.closeCode == .goingAway)
  }

  @Test("Nothing keeps a channel, its link or its connection after the end")
  func released() async throws {
    weak var channel: WebSocketChannel?
    weak var link: RecordingLink?
    weak var connection: (any WebSocketConnection)?
    do {
      let driver = RecordingLink()
      let driven = WebSocketChannel(
        role: .client, agreement: .init(compression: DeflateParameters()), configuration: .init(), link: driver)
      driver.channel.withLock { $0 = driven }
      let own = driven.makeConnection()
      (channel, link, connection) = (driven, driver, own)
      try await own.send("hello")
      let receiver = Task { try await own.receive() }
      #expect(await eventually { driven.isReceiving })
      var reaction = WebSocketReaction()
      driven.linkClosed(nil, &reaction)
      reaction.wake()
      _ = await receiver.result
      driver.channel.withLock { $0 = nil }
    }
    #expect(await eventually { channel == nil && link == nil && connection == nil })
  }

  @Test("The driver is told of output once, until it has taken all")
  func announcements() async throws {
    let link = RecordingLink()
    let channel = WebSocketChannel(role: .client, agreement: .init(), configuration: .init(), link: link)
    let connection = channel.makeConnection()
    for _ in 0..<10 { try await connection.send("x") }
    #expect(link.calls.value == ["output"])
    var reaction = WebSocketReaction()
    let bytes = channel.takeOutput(&reaction) ?? []
    #expect(SentFrame.all(in: bytes).count == 10)
    try await connection.send("y")
    #expect(link.calls.value == ["output"])
    #expect(channel.takeOutput(&reaction) != nil)
    #expect(channel.takeOutput(&reaction) == nil)
    #expect(!reaction.hasOutput)
    try await connection.send("z")
    #expect(link.calls.value == ["output", "output"])
    channel.linkClosed(nil, &reaction)
    reaction.wake()
  }

  @Test("An idle channel gives back what traffic had needed")
  func idleMemory() async throws {
    var configuration = WebSocketConfiguration()
    configuration.compression = .init(threshold: 0)
    configuration.keepalive = nil
    let wire = MemoryWire(agreement: .init(compression: DeflateParameters()), client: configuration)
    defer { wire.tearDown() }
    let (client, server) = (wire.client.makeConnection(), wire.server.makeConnection())
    for _ in 0..<10 {
      try await client.send("hello, hello, hello")
      #expect(try await server.receive() != nil)
    }
    #expect(wire.client.isDeflaterResident)
    let now = ContinuousClock.now
    var reaction = WebSocketReaction()
    let next = wire.client.tick(now, &reaction)
    #expect(next == now + .seconds(5))
    #expect(wire.client.tick(now + .seconds(5), &reaction) == nil)
    #expect(!wire.client.isDeflaterResident)
    _ = wire.server.tick(now, &reaction)
    _ = wire.server.tick(now + .seconds(5), &reaction)
    reaction.wake()
    try await client.send("hello, hello, hello")
    #expect(try await server.receive() == .text("hello, hello, hello"))
  }
}

/// A link that notes what it is told.
final class RecordingLink: WebSocketLink {
  let calls = LockIsolated<[String]>([])
  let channel = LockIsolated<WebSocketChannel?>(nil)

  func outputIsReady() { calls.withLock { $0.append("output") } }
  func resumeReading() { calls.withLock { $0.append("resume") } }
  func finishWriting() { calls.withLock { $0.append("finish") } }
  func closeLink() { calls.withLock { $0.append("close") } }
}

import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSockets

@Suite("How connections end", .timeLimit(.minutes(5)))
struct ClosingTests {
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
      #expect((await failure { try await connection.send("late") } as? WebSocketError)?.code == .closed)
      #expect((await failure { try await connection.ping() } as? WebSocketError)?.code == .closed)
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
    #expect((await failure { _ = try await client.receive() } as? WebSocketError)?.code == .timeout)
    #expect((await failure { _ = try await server.receive() } as? WebSocketError)?.code == .connectionLost)
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
    #expect((await failure { try await sender.value } as? WebSocketError)?.code == .closed)
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
      let error = await failure { try await task.value } as? WebSocketError
      #expect(error?.message == "reset by peer")
    }
    #expect(client.closeCode == .abnormalClosure)
    #expect((await failure { _ = try await server.receive() } as? WebSocketError)?.code == .connectionLost)
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
    let error = await failure { while try await server.receive() != nil { count += 1 } } as? WebSocketError
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
    #expect((await failure { _ = try await receiver.value } as? WebSocketError)?.code == .protocolViolation)
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
    #expect((await failure { try await receiver.value } as? WebSocketError)?.code == .timeout)
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
      (await failure { try await client.ping([UInt8](repeating: 1, count: 126)) } as? WebSocketError)?.code
        == .payloadTooLong)
    withExtendedLifetime(server) {}
  }
}

import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSockets

@Suite("Channels", .timeLimit(.minutes(5)))
struct ChannelTests {
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

  @Test("A receiver that takes one large message stops the sender behind it")
  func backPressureBehindLargeMessage() async throws {
    var configuration = WebSocketConfiguration()
    configuration.receiveBufferBytes = 50_000
    let (wire, client, server) = pair(configuration)
    defer { wire.tearDown() }
    let receiver = Task { try await server.receive() }
    #expect(await eventually { wire.server.isReceiving })
    wire.stall(true, to: .server)
    try await client.send([UInt8](repeating: 1, count: 60_000))
    for _ in 0..<500 { try await client.send([UInt8](repeating: 2, count: 1_000)) }
    wire.stall(false, to: .server)
    #expect(try await receiver.value == .binary([UInt8](repeating: 1, count: 60_000)))
    #expect(await eventually { wire.server.isReadingPaused })
    #expect(wire.deliveredBytes(to: .server) < 250_000)
    for _ in 0..<500 { #expect(try await server.receive() == .binary([UInt8](repeating: 2, count: 1_000))) }
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
    #expect(await failure { try await cancelled.value } is CancellationError)
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
      #expect(await failure { try await client.send("no") } is CancellationError)
      #expect(await failure { _ = try await client.receive() } is CancellationError)
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
    #expect((await failure { _ = try await client.receive() } as? WebSocketError)?.code == .alreadyReceiving)
    receiver.cancel()
    #expect(await failure { _ = try await receiver.value } is CancellationError)
    try await server.send("next")
    #expect(try await client.receive() == .text("next"))
    let loop = Task { for try await _ in client.messages {} }
    #expect(await eventually { wire.client.isReceiving })
    loop.cancel()
    try await loop.value
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

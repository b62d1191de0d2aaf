import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSockets

@Suite("The reconnecting socket", .timeLimit(.minutes(5)))
struct ReconnectingSocketTests {
  private let transport = ScriptedTransport()
  private let clock = ManualClock()
  private let request = HTTPRequest(method: .get, scheme: "wss", authority: "example.com", path: "/socket")

  private func socket(
    _ change: (inout ReconnectingSocketConfiguration) -> Void = { _ in }
  ) -> ReconnectingSocket {
    var configuration = ReconnectingSocketConfiguration()
    change(&configuration)
    let request = request
    return ReconnectingSocket(transport: transport, configuration: configuration, clock: clock, random: { 1 }) {
      request
    }
  }

  private func isOpen(_ socket: ReconnectingSocket) -> Bool {
    if case .open? = socket.status.latest { true } else { false }
  }

  private func isClosed(_ socket: ReconnectingSocket) -> Bool {
    if case .closed? = socket.status.latest { true } else { false }
  }

  private func isWaiting(_ socket: ReconnectingSocket) -> Bool {
    if case .waiting? = socket.status.latest { true } else { false }
  }

  @Test("Messages go both ways, and go on after a loss")
  func reconnects() async throws {
    defer { transport.tearDown() }
    let socket = socket { $0.protocols = ["v1"] }
    let messages = socket.messages().subscribe()
    await #expect(throws: WebSocketError.self) { try await socket.send(.text("too early")) }
    socket.connect()
    var (wire, server) = try #require(await transport.open())
    #expect(server.subprotocol == "v1")
    #expect(await eventually { isOpen(socket) })
    try await socket.send(.text("hello"))
    #expect(try await server.receive() == .text("hello"))
    try await server.send("first")
    #expect(await messages.next() == .text("first"))
    wire.cut()
    #expect(await eventually { isWaiting(socket) })
    await #expect(throws: WebSocketError.self) { try await socket.send(.text("lost")) }
    await clock.waitForSleeps(1)
    clock.advance(by: .seconds(1))
    (wire, server) = try #require(await transport.open())
    try await server.send("second")
    #expect(await messages.next() == .text("second"))
    // The server's own closing is a loss too, and names its code.
    await server.close(code: .serviceRestart, reason: "update")
    #expect(await eventually { isWaiting(socket) })
    guard case .waiting(let delay, let error as WebSocketError)? = socket.status.latest else {
      Issue.record("no error")
      return
    }
    #expect(delay == .seconds(1))
    #expect(error.code == .closed)
    #expect(error.closeCode == .serviceRestart)
    socket.disconnect()
    #expect(isClosed(socket))
    #expect(clock.pendingSleeps == 0)
  }

  @Test("Every attempt asks for its request, and an error there is a failed attempt")
  func requests() async throws {
    defer { transport.tearDown() }
    let asked = LockIsolated(0)
    let request = request
    let socket = ReconnectingSocket(transport: transport, clock: clock, random: { 1 }) {
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if number == 1 { throw HTTPError(kind: .timeout, message: "no token") }
      var request = request
      request.headerFields[.authorization] = "token \(number)"
      return request
    }
    socket.connect()
    await clock.waitForSleeps(1)
    #expect(transport.count == 0)
    clock.advance(by: .seconds(1))
    #expect(await transport.fail()?.headerFields[.authorization] == "token 2")
    await clock.waitForSleeps(1)
    clock.advance(by: .seconds(2))
    #expect(await transport.fail()?.headerFields[.authorization] == "token 3")
    socket.disconnect()
  }

  @Test("A refusal that is final ends the attempts")
  func refused() async throws {
    let socket = socket()
    socket.connect()
    await transport.fail(WebSocketError(code: .refused, message: "", status: 403))
    #expect(await eventually { isClosed(socket) })
    guard case .closed(let error)? = socket.status.latest else { return }
    #expect((error as? WebSocketError)?.status == 403)
    #expect(transport.count == 1)
    #expect(clock.pendingSleeps == 0)
  }

  @Test("A disconnect cancels an attempt under way, and says good-bye to an open connection")
  func disconnects() async throws {
    defer { transport.tearDown() }
    let socket = socket()
    socket.connect()
    #expect(await eventually { transport.waitingCount == 1 })
    socket.disconnect()
    #expect(await eventually { transport.waitingCount == 0 })
    #expect(isClosed(socket))
    socket.connect()
    let (_, server) = try #require(await transport.open())
    #expect(await eventually { isOpen(socket) })
    socket.disconnect()
    #expect(try await server.receive() == nil)
    #expect(server.closeCode == .normalClosure)
    #expect(transport.count == 2)
  }

  @Test("A heartbeat without a reply ends the connection, one with a reply keeps it")
  func heartbeats() async throws {
    defer { transport.tearDown() }
    let socket = socket {
      $0.heartbeat = .init(interval: .seconds(25), timeout: .seconds(10)) {
        .text("beat \($0)")
      } isReply: {
        $0 == .text("reply \($1)")
      }
    }
    socket.connect()
    let (_, server) = try #require(await transport.open())
    for number in 1...3 {
      await clock.waitForSleeps(1)
      clock.advance(by: .seconds(25))
      #expect(try await server.receive() == .text("beat \(number)"))
      try await server.send("reply \(number)")
      #expect(await eventually { clock.timeToNextSleepEnd == .seconds(25) })
    }
    clock.advance(by: .seconds(25))
    #expect(try await server.receive() == .text("beat 4"))
    try await server.send("reply 3")
    #expect(await eventually { clock.timeToNextSleepEnd == .seconds(10) })
    clock.advance(by: .seconds(10))
    #expect(await eventually { isWaiting(socket) })
    #expect(try await server.receive() == nil)
    socket.disconnect()
  }

  @Test("Another network cuts a wait short and replaces an attempt under way")
  func networkChanges() async throws {
    defer { transport.tearDown() }
    let socket = socket()
    socket.connect()
    await transport.fail()
    #expect(await eventually { isWaiting(socket) })
    socket.networkChanged()
    #expect(await eventually { transport.count == 2 && transport.waitingCount == 1 })
    #expect(clock.pendingSleeps == 0)
    socket.networkChanged()
    #expect(await eventually { transport.count == 3 && transport.waitingCount == 1 })
    let (_, server) = try #require(await transport.open())
    #expect(await eventually { isOpen(socket) })
    withExtendedLifetime(server) {}
    socket.disconnect()
  }

  @Test("A consumer that is slow holds the server back")
  func slowConsumer() async throws {
    defer { transport.tearDown() }
    let socket = socket()
    let messages = socket.messages(bufferingPolicy: .suspending(1)).subscribe()
    socket.connect()
    let (wire, server) = try #require(await transport.open())
    let sender = Task { for _ in 0..<100 { try await server.send([UInt8](repeating: 0, count: 100_000)) } }
    #expect(await eventually { wire.server.waitingSenders == 1 })
    for _ in 0..<100 { #expect(await messages.next() != nil) }
    try await sender.value
    socket.disconnect()
  }

  @Test("Calls from many threads in any order end as the last one wants")
  func storm() async throws {
    defer { transport.tearDown() }
    let socket = socket()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            switch (index + round) % 4 {
            case 0: socket.connect()
            case 1: socket.disconnect()
            case 2: socket.networkChanged()
            default: await Task.yield()
            }
          }
        }
      }
    }
    socket.disconnect()
    #expect(await eventually { isClosed(socket) && transport.waitingCount == 0 })
    #expect(clock.pendingSleeps == 0)
    socket.connect()
    let (_, server) = try #require(await transport.open())
    try await server.send("still works")
    #expect(await eventually { isOpen(socket) })
    socket.disconnect()
  }

  @Test("Releasing the socket ends its tasks, its connection and its sequences")
  func released() async throws {
    defer { transport.tearDown() }
    weak var weakSocket: ReconnectingSocket?
    var socket: ReconnectingSocket? = socket()
    weakSocket = socket
    let status = try #require(socket?.status)
    let messages = socket?.messages().subscribe()
    socket?.connect()
    let (_, server) = try #require(await transport.open())
    #expect(await eventually { if case .open? = status.latest { true } else { false } })
    socket = nil
    #expect(weakSocket == nil)
    #expect(try await server.receive() == nil)
    #expect(await messages?.next() == nil)
    for await _ in status {}

    // Also while an attempt is under way.
    socket = self.socket()
    socket?.connect()
    #expect(await eventually { transport.waitingCount == 1 })
    socket = nil
    #expect(await eventually { transport.waitingCount == 0 })
  }
}

import SwiftwaterHTTP
import SwiftwaterSockets
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterHTTPServer

/// WebSockets over real sockets, frame by frame.
struct WebSocketTests {
  private let request =
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"

  private let echoing: HTTPServer.Handler = { _ in
    .webSocket { connection in
      for try await message in connection.messages { try await connection.send(message) }
    }
  }

  /// A client's frame; a mask of zeros leaves the payload as it is.
  private func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    var bytes = [opcode | (isFinal ? 0x80 : 0)]
    switch payload.count {
    case 0..<126: bytes.append(0x80 | UInt8(payload.count))
    case 126..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default: bytes += [0x80 | 127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 255) }
    }
    return bytes + [0, 0, 0, 0] + payload
  }

  private func connect(_ server: HTTPServer, _ fields: String = "", then bytes: [UInt8] = []) async throws
    -> FrameClient
  {
    let client = try await RawClient(port: server.port)
    try await client.send(Array((request + fields + "\r\n").utf8) + bytes)
    let response = try await client.response()
    try #require(response.status == 101, "\(response.head)")
    return FrameClient(client: client, head: response)
  }

  @Test("the handshake is the standard's, and bytes that follow it at once are the socket's")
  func handshake() async throws {
    let handler: HTTPServer.Handler = { request in
      .webSocket(protocols: ["b", "c"], headerFields: [.location: "here", .connection: "close"]) { connection in
        try await connection.send("\(connection.subprotocol ?? "none") \(request.head.path)")
        for try await message in connection.messages { try await connection.send(message) }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await connect(
        server, "Sec-WebSocket-Protocol: a, c, b\r\n", then: frame(1, Array("hello".utf8)) + frame(2, [0, 255]))
      #expect(client.head.field("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
      #expect(client.head.field("Sec-WebSocket-Protocol") == "c")
      #expect(client.head.field("Location") == "here")
      #expect(client.head.head.contains("Connection: Upgrade\r\n") && !client.head.head.contains("close"))
      #expect(try await client.next() == (1, Array("c /ws".utf8)))
      #expect(try await client.next() == (1, Array("hello".utf8)))
      #expect(try await client.next() == (2, [0, 255]))
      let other = try await connect(server, "Sec-WebSocket-Protocol: d\r\n")
      #expect(other.head.field("Sec-WebSocket-Protocol") == nil)
      #expect(try await other.next() == (1, Array("none /ws".utf8)))
    }
  }

  @Test("requests that cannot open a WebSocket are told why, and the connection lives on where it can")
  func refusals() async throws {
    try await withServer(handler: echoing) { server in
      let client = try await RawClient(port: server.port)
      let plain = try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(plain.status == 426)
      #expect(plain.field("Upgrade") == "websocket")
      #expect(plain.field("Connection") == "upgrade")
      let posted = request.replacing("GET", with: "POST") + "Content-Length: 0\r\n\r\n"
      #expect(try await client.exchange(posted).status == 405)
      let old = try await client.exchange(request.replacing("Version: 13", with: "Version: 8") + "\r\n")
      #expect(old.status == 426)
      #expect(old.field("Sec-WebSocket-Version") == "13")
      #expect(try await client.exchange(request.replacing("dGhl", with: "") + "\r\n").status == 400)
      #expect(try await client.exchange(request.replacing("HTTP/1.1", with: "HTTP/1.0") + "\r\n").status == 400)
      let withBody = try await RawClient(port: server.port)
      let status = try await withBody.exchange(request + "Content-Length: 5\r\n\r\n").status
      #expect(status == 503)
      let still = try await connect(server, then: frame(1, [0x61]))
      #expect(try await still.next() == (1, [0x61]))
    }
  }

  @Test("a handler whose response is not asked for by HTTP/1.1's OPTIONS or HEAD is not run")
  func notRun() async throws {
    let hasRun = Signal()
    let handler: HTTPServer.Handler = { _ in .webSocket { _ in hasRun.fire() } }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      #expect(try await client.exchange("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").status == 405)
      #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 426)
      #expect(!hasRun.isFired)
    }
  }

  @Test("a wrapper's fields stand in the answer to the handshake")
  func wrapped() async throws {
    var policy = CORSPolicy()
    policy.origins = .listed(["https://a.example"])
    try await withServer(handler: policy.wrap(echoing)) { server in
      let client = try await connect(server, "Origin: https://a.example\r\n", then: frame(1, [0x61]))
      #expect(client.head.field("Access-Control-Allow-Origin") == "https://a.example")
      #expect(client.head.field("Vary") == "Origin")
      #expect(try await client.next() == (1, [0x61]))
    }
  }

  @Test("fragments become messages, pings are answered, and many messages come back in order")
  func messages() async throws {
    try await withServer(handler: echoing) { server in
      let client = try await connect(server)
      try await client.send(
        frame(1, Array("he".utf8), isFinal: false) + frame(9, [7]) + frame(0, Array("llo".utf8)))
      #expect(try await client.next() == (10, [7]))
      #expect(try await client.next() == (1, Array("hello".utf8)))
      let count = 2000
      var bytes: [UInt8] = []
      for number in 0..<count { bytes += frame(2, [UInt8](repeating: UInt8(number & 255), count: number % 300)) }
      try await client.send(bytes)
      for number in 0..<count {
        #expect(try await client.next() == (2, [UInt8](repeating: UInt8(number & 255), count: number % 300)))
      }
    }
  }

  @Test("a handler that does not receive stops the client, and everything arrives when it does")
  func receiveBackPressure() async throws {
    let mayReceive = Signal()
    let received = Counter()
    let size = 100_000
    let total = 300
    let handler: HTTPServer.Handler = { _ in
      .webSocket { connection in
        try await mayReceive.wait()
        for try await message in connection.messages {
          guard case .binary(let bytes) = message else { continue }
          if received.add(bytes.count) == size * total { try await connection.send("done") }
        }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await connect(server)
      let all = (0..<total).flatMap { _ in frame(2, [UInt8](repeating: 1, count: size)) }
      let sent = try await sendUntilStuck(client.client, all, server)
      #expect(sent < all.count)
      mayReceive.fire()
      try await client.send(Array(all[sent...]))
      #expect(try await client.next() == (1, Array("done".utf8)))
    }
  }

  @Test("a client that does not read makes the sender wait, and gets everything when it does")
  func sendBackPressure() async throws {
    let sent = Counter()
    let total = 400
    let payload = [UInt8](repeating: 7, count: 50_000)
    let handler: HTTPServer.Handler = { _ in
      .webSocket { connection in
        for _ in 0..<total {
          try await connection.send(payload)
          sent.add()
        }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port, receiveBuffer: 16 << 10)
      try await client.send(request + "\r\n")
      let frames = FrameClient(client: client, head: try await client.response())
      try await eventually("the sender waits") { server.backPressure.waitingSenders == 1 }
      #expect(sent.value < total)
      for _ in 0..<total { #expect(try await frames.next() == (2, payload)) }
      #expect(try await frames.next() == (8, [3, 232]))
    }
  }

  @Test("many tasks send at once, and every message arrives whole")
  func concurrentSenders() async throws {
    let handler: HTTPServer.Handler = { _ in
      .webSocket { connection in
        await withTaskGroup { group in
          for number in 0..<20 {
            group.addTask {
              for _ in 0..<100 { try? await connection.send([UInt8](repeating: UInt8(number), count: 1000)) }
            }
          }
        }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await connect(server)
      var counts = [Int](repeating: 0, count: 20)
      for _ in 0..<2000 {
        let (opcode, payload) = try await client.next()
        #expect(opcode == 2 && payload.count == 1000 && payload.allSatisfy { $0 == payload[0] })
        counts[Int(payload[0])] += 1
      }
      #expect(counts == [Int](repeating: 100, count: 20))
    }
  }

  @Test("the end of the handler ends the connection with its code")
  func handlerEnds() async throws {
    struct Broken: Error {}
    let handler: HTTPServer.Handler = { request in
      .webSocket { _ in
        switch request.head.headerFields[.location] {
        case "throws": throw Broken()
        case "cancels": throw CancellationError()
        default: break
        }
      }
    }
    try await withServer(handler: handler) { server in
      for (name, code) in ["": 1000, "throws": 1011, "cancels": 1001] {
        let client = try await connect(server, "Location: \(name)\r\n")
        #expect(try await client.next() == (8, [UInt8(code >> 8), UInt8(code & 255)]), "\(name)")
        try await client.send(frame(8, [UInt8(code >> 8), UInt8(code & 255)]))
        #expect(try await client.client.receiveAll() == ([], false))
      }
    }
  }

  @Test("what a client has sent before it closes is received, and its handler is not disturbed at once")
  func clientCloses() async throws {
    let received = LockIsolated<[WebSocketMessage]>([])
    let isReceiving = Signal()
    let mayGoOn = Signal()
    let wasUndisturbed = Signal()
    // Whatever the machine is doing besides.
    var patient = WebSocketConfiguration()
    patient.closeTimeout = .seconds(1000)
    let handler: HTTPServer.Handler = { [patient] _ in
      .webSocket(configuration: patient) { connection in
        isReceiving.fire()
        for try await message in connection.messages { received.withLock { $0.append(message) } }
        try await mayGoOn.wait()
        if connection.closeCode?.rawValue == 4001 { wasUndisturbed.fire() }
      }
    }
    try await withServer({ $0.handlerFarewell = .seconds(1000) }, handler: handler) { server in
      let client = try await connect(server)
      try await eventually("it receives") { isReceiving.isFired }
      try await client.send(frame(1, [0x61]) + frame(1, [0x62]) + frame(8, [15, 161]))
      #expect(try await client.next() == (8, [15, 161]))
      #expect(try await client.client.receiveAll() == ([], false))
      client.client.close()
      try await eventually("both are received") { received.value == [.text("a"), .text("b")] }
      mayGoOn.fire()
      try await eventually("the handler ends") { wasUndisturbed.isFired }
    }
  }

  @Test("a handler that goes on after the closing handshake is cancelled some seconds later")
  func lateCancellation() async throws {
    let wasCancelled = Signal()
    let handler: HTTPServer.Handler = { _ in
      .webSocket { _ in
        do { try await waitForCancellation() } catch { wasCancelled.fire() }
      }
    }
    try await withServer({ $0.handlerFarewell = .milliseconds(1) }, handler: handler) { server in
      let client = try await connect(server)
      try await client.send(frame(8, []))
      #expect(try await client.next() == (8, []))
      client.client.close()
      try await eventually("it is cancelled") { wasCancelled.isFired }
    }
  }

  @Test("the handler of a client that has gone is cancelled, and its receive throws", arguments: [true, false])
  func clientIsGone(_ isReset: Bool) async throws {
    let error = LockIsolated<(any Error)?>(nil)
    let wasCancelled = Signal()
    let hasBegun = Signal()
    let handler: HTTPServer.Handler = { _ in
      .webSocket { connection in
        hasBegun.fire()
        do { _ = try await connection.receive() } catch let thrown { error.withLock { $0 = thrown } }
        do { try await waitForCancellation() } catch { wasCancelled.fire() }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await connect(server)
      try await eventually("it has begun") { hasBegun.isFired }
      if isReset { client.client.reset() } else { client.client.close() }
      try await eventually("it is cancelled") { wasCancelled.isFired }
      #expect(error.withLock { $0 is WebSocketError || $0 is CancellationError })
    }
  }

  @Test("a client that goes away without reading is noticed although nothing is read from it")
  func goneWhilePaused() async throws {
    let wasCancelled = Signal()
    let handler: HTTPServer.Handler = { _ in
      .webSocket { _ in
        do { try await waitForCancellation() } catch { wasCancelled.fire() }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await connect(server)
      // More than the inbox holds: reading pauses.
      for _ in 0..<20 { try await client.send(frame(2, [UInt8](repeating: 1, count: 100_000))) }
      client.client.reset()
      try await eventually("it is cancelled") { wasCancelled.isFired }
    }
  }

  @Test("stopping closes WebSockets with 1001 and returns when the clients have answered")
  func stopping() async throws {
    let begun = Counter()
    let ended = Counter()
    var configuration = HTTPServer.Configuration()
    configuration.stopGrace = .seconds(1000)
    let server = HTTPServer(configuration: configuration) { _ in
      .webSocket { connection in
        begun.add()
        for try await _ in connection.messages {}
        ended.add()
      }
    }
    try await server.start()
    let port = server.port
    var clients: [FrameClient] = []
    for _ in 0..<10 { clients.append(try await connect(server)) }
    try await eventually("all have begun") { begun.value == 10 }
    let stopping = Task { await server.stop() }
    for client in clients {
      #expect(try await client.next() == (8, [3, 233]))
      try await client.send(frame(8, [3, 233]))
      #expect(try await client.client.receiveAll() == ([], false))
      client.client.close()
    }
    await stopping.value
    #expect(ended.value == 10)
    #expect(Descriptors.withLocalPort(port) == 0)
  }

  @Test("a client that does not answer a stopping server is cut off after the grace")
  func stoppingUnanswered() async throws {
    let hasEnded = Signal()
    var configuration = HTTPServer.Configuration()
    configuration.stopGrace = .milliseconds(50)
    let server = HTTPServer(configuration: configuration) { _ in
      .webSocket { connection in
        do { try await waitForCancellation() } catch { hasEnded.fire() }
      }
    }
    try await server.start()
    let client = try await connect(server)
    await server.stop()
    #expect(hasEnded.isFired)
    #expect(try await client.next() == (8, [3, 233]))
  }

  @Test("a silent client is pinged, and cut off when it does not answer")
  func keepalive() async throws {
    let wasCancelled = Signal()
    let handler: HTTPServer.Handler = { _ in
      var configuration = WebSocketConfiguration()
      configuration.keepalive = .init(interval: .milliseconds(20), timeout: .milliseconds(20))
      return .webSocket(configuration: configuration) { connection in
        do { try await waitForCancellation() } catch { wasCancelled.fire() }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await connect(server)
      #expect(try await client.next().opcode == 9)
      try await eventually("it is cancelled") { wasCancelled.isFired }
      _ = try await client.client.receiveAll()
    }
  }

  @Test("what breaks the protocol ends the connection with the code for it")
  func violations() async throws {
    try await withServer(handler: echoing) { server in
      for (bytes, code) in [
        ([0x81, 0x00], 1002), (frame(3, []), 1002), (frame(1, [0xFF]), 1007),
        ([0x82, 0xFF, 0x7F] + [UInt8](repeating: 0, count: 11), 1009),
      ] as [([UInt8], Int)] {
        let client = try await connect(server, then: bytes)
        let (opcode, payload) = try await client.next()
        #expect(opcode == 8 && payload.prefix(2) == [UInt8(code >> 8), UInt8(code & 255)], "\(bytes)")
      }
    }
  }

  @Test("a handler and what it holds are released when its connection has ended")
  func release() async throws {
    final class Held: Sendable {}
    let weakHeld = LockIsolated<[WeakReference]>([])
    let handler: HTTPServer.Handler = { _ in
      let held = Held()
      weakHeld.withLock { $0.append(WeakReference(held)) }
      return .webSocket { connection in
        for try await message in connection.messages { try await connection.send(message) }
        withExtendedLifetime(held) {}
      }
    }
    try await withServer(handler: handler) { server in
      for isClean in [true, false] {
        let client = try await connect(server)
        if isClean {
          try await client.send(frame(8, []))
          _ = try await client.next()
        }
        client.client.close()
      }
      try await eventually("both are released") { weakHeld.withLock { $0.count == 2 && $0.allSatisfy { $0.isGone } } }
      try await eventually("the sockets are closed") { Descriptors.withLocalPort(server.port) == 1 }
    }
  }

  @Test("what a server is made of is released with its last connection: nothing holds anything in a circle")
  func engineRelease() async throws {
    weak var released: ServerEngine?
    weak var buffer: ReadBuffer?
    do {
      let engine = try ServerEngine(configuration: HTTPServer.Configuration(), handler: echoing)
      released = engine
      buffer = engine.readBuffers.first
      let client = try await RawClient(port: engine.port)
      #expect(try await client.exchange(request + "\r\n").status == 101)
      #expect(buffer != nil)
      engine.shutDown()
      let end = try await client.receive()
      #expect(end?.isEmpty != false)
    }
    try await eventually("the engine and its buffers are gone") { released == nil && buffer == nil }
  }

  @Test("the log tells of a WebSocket when it is over")
  func log() async throws {
    let entries = LockIsolated<[AccessLogEntry]>([])
    try await withServer {
      $0.accessLog = { entry in entries.withLock { $0.append(entry) } }
    } handler: {
      try await echoing($0)
    } _: { server in
      let client = try await connect(server, then: frame(1, [0x61]))
      _ = try await client.next()
      #expect(entries.value.isEmpty)
      try await client.send(frame(8, []))
      try await eventually("it is told") { entries.value.count == 1 }
      #expect(entries.value.first?.status?.code == 101)
      #expect(entries.value.first?.path == "/ws")
    }
  }
}

/// Remembers an object without keeping it.
private final class WeakReference: Sendable {
  private let isReleased: @Sendable () -> Bool
  var isGone: Bool { isReleased() }

  init(_ object: some AnyObject & Sendable) { isReleased = { [weak object] in object == nil } }
}

/// A client that reads a server's frames.
private final class FrameClient {
  let client: RawClient
  let head: RawClient.Response
  private var bytes: [UInt8] = []
  private var position = 0

  init(client: RawClient, head: RawClient.Response) {
    self.client = client
    self.head = head
  }

  func send(_ bytes: [UInt8]) async throws { try await client.send(bytes) }

  /// The next frame, which is whole and not masked.
  func next() async throws -> (opcode: UInt8, payload: [UInt8]) {
    try await need(2)
    let first = bytes[position]
    var length = Int(bytes[position + 1])
    try #require(first & 0x70 == 0 && first & 0x80 != 0 && length < 128)
    var start = 2
    if length >= 126 {
      start = length == 126 ? 4 : 10
      try await need(start)
      length = bytes[(position + 2)..<(position + start)].reduce(0) { $0 << 8 | Int($1) }
    }
    try await need(start + length)
    defer {
      position += start + length
      if position > 1 << 20 {
        bytes.removeFirst(position)
        position = 0
      }
    }
    return (first & 15, Array(bytes[(position + start)..<(position + start + length)]))
  }

  private func need(_ count: Int) async throws {
    while bytes.count - position < count {
      let more = try #require(try await client.receive())
      try #require(!more.isEmpty, "the connection ended")
      bytes += more
    }
  }
}

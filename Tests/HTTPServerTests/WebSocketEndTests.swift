import SwiftwaterHTTP
import SwiftwaterSockets
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterHTTPServer

/// How WebSockets end, frame by frame, and what is left of them then.
struct WebSocketEndTests {
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
        let client = try await FrameClient(server, "Location: \(name)\r\n")
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
      let client = try await FrameClient(server)
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
      let client = try await FrameClient(server)
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
      let client = try await FrameClient(server)
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
      let client = try await FrameClient(server)
      // More than the inbox holds: reading pauses.
      for _ in 0..<20 { try await client.send(frame(2, [UInt8](repeating: 1, count: 100_000))) }
      try await eventually("reading pauses") { server.backPressure.pausedReads == 1 }
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
    for _ in 0..<10 { clients.append(try await FrameClient(server)) }
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
    let client = try await FrameClient(server)
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
      let client = try await FrameClient(server)
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
        let client = try await FrameClient(server, then: bytes)
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
        let client = try await FrameClient(server)
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
      #expect(try await client.exchange(FrameClient.request + "\r\n").status == 101)
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
      let client = try await FrameClient(server, then: frame(1, [0x61]))
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

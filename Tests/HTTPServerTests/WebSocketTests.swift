import SwiftwaterHTTP
import SwiftwaterSockets
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterHTTPServer

/// WebSockets over real sockets, frame by frame: how they are opened and what they carry.
struct WebSocketTests {
  @Test("the handshake is the standard's, and bytes that follow it at once are the socket's")
  func handshake() async throws {
    let handler: HTTPServer.Handler = { request in
      .webSocket(protocols: ["b", "c"], headerFields: [.location: "here", .connection: "close"]) { connection in
        try await connection.send("\(connection.subprotocol ?? "none") \(request.head.path)")
        for try await message in connection.messages { try await connection.send(message) }
      }
    }
    try await withServer(handler: handler) { server in
      let client = try await FrameClient(
        server, "Sec-WebSocket-Protocol: a, c, b\r\n", then: frame(1, Array("hello".utf8)) + frame(2, [0, 255]))
      #expect(client.head.field("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
      #expect(client.head.field("Sec-WebSocket-Protocol") == "c")
      #expect(client.head.field("Location") == "here")
      #expect(client.head.head.contains("Connection: Upgrade\r\n") && !client.head.head.contains("close"))
      #expect(try await client.next() == (1, Array("c /ws".utf8)))
      #expect(try await client.next() == (1, Array("hello".utf8)))
      #expect(try await client.next() == (2, [0, 255]))
      let other = try await FrameClient(server, "Sec-WebSocket-Protocol: d\r\n")
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
      let posted = FrameClient.request.replacing("GET", with: "POST") + "Content-Length: 0\r\n\r\n"
      #expect(try await client.exchange(posted).status == 405)
      let old = try await client.exchange(FrameClient.request.replacing("Version: 13", with: "Version: 8") + "\r\n")
      #expect(old.status == 426)
      #expect(old.field("Sec-WebSocket-Version") == "13")
      #expect(try await client.exchange(FrameClient.request.replacing("dGhl", with: "") + "\r\n").status == 400)
      #expect(
        try await client.exchange(FrameClient.request.replacing("HTTP/1.1", with: "HTTP/1.0") + "\r\n").status == 400)
      let withBody = try await RawClient(port: server.port)
      let status = try await withBody.exchange(FrameClient.request + "Content-Length: 5\r\n\r\n").status
      #expect(status == 503)
      let still = try await FrameClient(server, then: frame(1, [0x61]))
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
      let client = try await FrameClient(server, "Origin: https://a.example\r\n", then: frame(1, [0x61]))
      #expect(client.head.field("Access-Control-Allow-Origin") == "https://a.example")
      #expect(client.head.field("Vary") == "Origin")
      #expect(try await client.next() == (1, [0x61]))
    }
  }

  @Test("fragments become messages, pings are answered, and many messages come back in order")
  func messages() async throws {
    try await withServer(handler: echoing) { server in
      let client = try await FrameClient(server)
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
      let client = try await FrameClient(server)
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
      let client = try await FrameClient(server, receiveBuffer: 16 << 10)
      try await eventually("the sender waits") { server.backPressure.waitingSenders == 1 }
      #expect(sent.value < total)
      for _ in 0..<total { #expect(try await client.next() == (2, payload)) }
      #expect(try await client.next() == (8, [3, 232]))
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
      let client = try await FrameClient(server)
      var counts = [Int](repeating: 0, count: 20)
      for _ in 0..<2000 {
        let (opcode, payload) = try await client.next()
        #expect(opcode == 2 && payload.count == 1000 && payload.allSatisfy { $0 == payload[0] })
        counts[Int(payload[0])] += 1
      }
      #expect(counts == [Int](repeating: 100, count: 20))
    }
  }
}

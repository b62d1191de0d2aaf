import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterHTTPServer

struct EventResponseTests {
  private let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test("fields, many lines, comments and retry stand on the wire as the standard reads them")
  func format() {
    func wire(_ event: ServerResponse.Event) -> String { String(decoding: event.bytes, as: UTF8.self) }
    #expect(wire(ServerResponse.Event(data: "a")) == "data: a\n\n")
    #expect(wire(ServerResponse.Event(data: "")) == "data: \n\n")
    #expect(wire(ServerResponse.Event(data: "a\nb\r\nc\rd\n")) == "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n")
    #expect(
      wire(ServerResponse.Event(id: "7", event: "put", data: "{}", retry: .milliseconds(1500), comment: "x\ny"))
        == ": x\n: y\nid: 7\nevent: put\nretry: 1500\ndata: {}\n\n")
    // The longest that another server can have asked for.
    #expect(wire(ServerResponse.Event(retry: .milliseconds(Int64.max))) == "retry: 1000000000000000\n\n")
    #expect(wire(ServerResponse.Event(id: "1\ndata: x", event: "a\r\nb\0")) == "id: 1data: x\nevent: ab\n\n")
  }

  @Test("every event is sent when it comes, and the end of the sequence ends the response and keeps the connection")
  func delivery() async throws {
    let source = LockIsolated<AsyncStream<ServerResponse.Event>.Continuation?>(nil)
    let handler: HTTPServer.Handler = { _ in
      let (events, continuation) = AsyncStream<ServerResponse.Event>.makeStream()
      source.withLock { $0 = continuation }
      return .events(events)
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send(request)
      var received = ""
      func receive(_ expected: String) async throws {
        while !received.contains(expected) {
          let bytes = try #require(try await client.receive())
          try #require(!bytes.isEmpty, "ended before \(expected)")
          received += String(decoding: bytes, as: UTF8.self)
        }
      }
      try await receive("\r\n\r\n")
      #expect(received.contains("Content-Type: text/event-stream\r\n"))
      #expect(received.contains("Cache-Control: no-store\r\n"))
      for number in 0..<3 {
        source.value?.yield(ServerResponse.Event(data: "\(number)"))
        try await receive("data: \(number)\n\n\r\n")
      }
      source.value?.finish()
      try await receive("\r\n0\r\n\r\n")
      received = ""
      try await client.send(request)
      try await receive("text/event-stream")
    }
  }

  @Test("the iteration ends when the client leaves", arguments: [false, true])
  func clientLeaves(isReset: Bool) async throws {
    let hasEnded = Signal()
    let handler: HTTPServer.Handler = { _ in
      let (events, continuation) = AsyncStream<ServerResponse.Event>.makeStream()
      continuation.onTermination = { _ in hasEnded.fire() }
      continuation.yield(ServerResponse.Event(data: "hello"))
      return .events(events)
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send(request)
      _ = try await client.receive()
      if isReset { client.reset() } else { client.close() }
      try await eventually("the sequence is let go") { hasEnded.isFired }
    }
  }

  @Test("a client that does not read stops the sequence, and gets everything once it reads")
  func backPressure() async throws {
    let made = Counter()
    let total = 3000
    let payload = String(repeating: "x", count: 4096)
    let handler: HTTPServer.Handler = { _ in
      .events(
        AsyncStream {
          let number = made.add()
          return number <= total ? ServerResponse.Event(data: payload) : nil
        })
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port, receiveBuffer: 16 << 10)
      try await client.send(request)
      try await eventually("the sequence stands still") { server.backPressure.waitingSenders == 1 }
      #expect(made.value < total)
      let response = try await client.response()
      #expect(response.body.count == total * (payload.utf8.count + 8))
    }
  }

  @Test("in a silence comments show that the connection lives")
  func keepAlive() async throws {
    let (events, _) = AsyncStream<ServerResponse.Event>.makeStream()
    try await withServer(handler: { _ in .events(events, keepAlive: .milliseconds(1)) }) { server in
      let client = try await RawClient(port: server.port)
      try await client.send(request)
      var received = ""
      while received.ranges(of: "3\r\n:\n\n\r\n").count < 3 {
        let bytes = try #require(try await client.receive())
        try #require(!bytes.isEmpty)
        received += String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  @Test("stopping ends endless responses at once, in order")
  func stopping() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.stopGrace = .seconds(1000)
    let server = HTTPServer(configuration: configuration) { _ in
      let (events, continuation) = AsyncStream<ServerResponse.Event>.makeStream()
      continuation.yield(ServerResponse.Event(data: "hello"))
      return .events(events)
    }
    try await server.start()
    let client = try await RawClient(port: server.port)
    try await client.send(request)
    var received = ""
    while !received.contains("hello") {
      received += String(decoding: try #require(try await client.receive()), as: UTF8.self)
    }
    await server.stop()
    let (bytes, isReset) = try await client.receiveAll()
    #expect(!isReset)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("0\r\n\r\n"))
  }
}

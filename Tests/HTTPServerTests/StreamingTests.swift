import SwiftwaterHTTP
import Testing

@testable import SwiftwaterHTTPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Bodies that are larger than anything should be held, and many connections at once.
struct StreamingTests {
  private static let size = 32 << 20
  /// What the server and the system's buffers on both sides may hold together.
  private static let bound = 16 << 20

  @Test("a handler that does not read stops the client, and everything arrives when it does")
  func slowHandler() async throws {
    let mayRead = Signal()
    let handler: HTTPServer.Handler = { request in
      var iterator = request.body.makeAsyncIterator()
      var count = try await iterator.next()?.count ?? 0
      try await mayRead.wait()
      while let chunk = try await iterator.next() { count += chunk.count }
      return text("\(count)")
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.size)\r\n\r\n")
      let body = [UInt8](repeating: 0x61, count: Self.size)
      let sent = try await sendUntilStuck(client, body, server)
      #expect(sent < Self.bound)
      mayRead.fire()
      try await client.send(Array(body[sent...]))
      #expect(try await client.response().text == "\(Self.size)")
      #expect(try await client.exchange("PUT / HTTP/1.1\r\nHost: x\r\n\r\n").text == "0")
    }
  }

  @Test("a client that does not read stops the response's stream, and gets everything when it does")
  func slowReader() async throws {
    let produced = Counter()
    let handler: HTTPServer.Handler = { _ in
      ServerResponse(
        status: .ok,
        body: HTTPBody(length: .known(Int64(Self.size))) {
          guard produced.value < Self.size else { return nil }
          produced.add(1 << 16)
          return [UInt8](repeating: 0x61, count: 1 << 16)
        })
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port, receiveBuffer: 64 << 10)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      try await eventually("the stream stands still") { server.backPressure.waitingSenders == 1 }
      #expect(produced.value < Self.bound)
      var received = 0
      while received < Self.size, let bytes = try await client.receive(), !bytes.isEmpty { received += bytes.count }
      #expect(received > Self.size)
      #expect(produced.value == Self.size)
    }
  }

  @Test("a body that is sent back while it arrives passes through unchanged")
  func echoStream() async throws {
    try await withServer(handler: { ServerResponse(status: .ok, body: $0.body) }) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
      var sent: [UInt8] = []
      for number in 1...500 {
        let chunk = (0..<number).map { UInt8(truncatingIfNeeded: $0 &* number) }
        sent += chunk
        try await client.send(Array("\(String(number, radix: 16))\r\n".utf8) + chunk + [13, 10])
      }
      try await client.send("0\r\n\r\n")
      #expect(try await client.response().body == sent)
    }
  }

  @Test("large bytes at hand are sent whole, whatever the socket takes at once")
  func largeBytes() async throws {
    let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await withServer(handler: { _ in ServerResponse(status: .ok, body: HTTPBody(bytes)) }) { server in
      let client = try await RawClient(port: server.port)
      for _ in 0..<3 {
        #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").body == bytes)
      }
    }
  }

  @Test("a thousand connections are served side by side")
  func manyConnections() async throws {
    var limit = rlimit()
    #if canImport(Darwin) || canImport(Musl)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    getrlimit(resource, &limit)
    limit.rlim_cur = min(limit.rlim_max, 10_000)
    setrlimit(resource, &limit)
    try #require(limit.rlim_cur >= 3000, "too few descriptors are allowed here")

    // Nobody is answered before all have asked.
    let count = 1000
    let arrived = Counter()
    let haveAllArrived = Signal()
    let handler: HTTPServer.Handler = { request in
      if arrived.add() == count { haveAllArrived.fire() }
      try await haveAllArrived.wait()
      return text(request.head.path)
    }
    try await withServer(handler: handler) { server in
      try await withThrowingTaskGroup { group in
        for number in 0..<count {
          group.addTask {
            let client = try await RawClient(port: server.port)
            let response = try await client.exchange("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(response.text == "/\(number)")
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("beyond the limit connections wait their turn")
  func connectionLimit() async throws {
    try await withServer {
      $0.maximumConnections = 2
    } handler: {
      try await echo($0)
    } _: { server in
      let first = try await RawClient(port: server.port)
      let second = try await RawClient(port: server.port)
      let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
      #expect(try await first.exchange(request).status == 200)
      #expect(try await second.exchange(request).status == 200)
      let isAnswered = Signal()
      let client = try await RawClient(port: server.port)
      try await client.send(request)
      let third = Task {
        let response = try await client.response()
        isAnswered.fire()
        return response.status
      }
      for _ in 0..<20 { #expect(try await first.exchange(request).status == 200) }
      #expect(!isAnswered.isFired)
      second.close()
      #expect(try await third.value == 200)
    }
  }
}

import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterStreams
import TestSupport
import Testing

struct AccessLogTests {
  @Test("every exchange is told once, with what moved, and never with its query")
  func entries() async throws {
    let entries = LockIsolated<[AccessLogEntry]>([])
    let handler: HTTPServer.Handler = { request in
      switch request.head.path {
      case "/cancelled": throw CancellationError()
      case "/broken":
        let count = Counter()
        return ServerResponse(
          status: .ok,
          body: HTTPBody {
            if count.add() == 1 { return Array("part".utf8) }
            throw HTTPServerError(code: .connectionLost, message: "")
          })
      default: return try await echo(request)
      }
    }
    try await withServer {
      $0.accessLog = { entry in entries.withLock { $0.append(entry) } }
    } handler: {
      try await handler($0)
    } _: { server in
      let client = try await RawClient(port: server.port)
      // The second one is here before the first is answered.
      try await client.send(
        "POST /a?token=secret HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
          + "GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
      let first = try await client.response()
      let second = try await client.response()
      try await client.send("BAD\r\n\r\n")
      let third = try await client.receiveAll().bytes
      try await eventually("three are told") { entries.value.count == 3 }
      let told = entries.value
      #expect(told.map(\.method) == [.post, .get, nil])
      #expect(told.map(\.path) == ["/a", "/b", ""])
      #expect(told.map(\.status) == [.ok, .ok, .badRequest])
      #expect(told.map(\.bytesReceived) == [5, 0, 0])
      let sizes = [first, second].map { $0.head.utf8.count + $0.body.count } + [third.count]
      #expect(told.map(\.bytesSent) == sizes.map(Int64.init))
      #expect(told.allSatisfy { $0.isComplete && $0.peer.host == "127.0.0.1" && $0.duration >= .zero })

      for (path, status) in [("/broken", 200), ("/cancelled", nil)] as [(String, Int?)] {
        entries.withLock { $0 = [] }
        let client = try await RawClient(port: server.port)
        try await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await client.receiveAll()
        try await eventually("it is told") { entries.value.count == 1 }
        #expect(entries.value.first?.status?.code == status)
        #expect(entries.value.first?.isComplete == false)
      }
    }
  }
}

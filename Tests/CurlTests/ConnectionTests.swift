import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Connections and the transport's life")
struct ConnectionTests {
  private static func answerAll(_ connection: ScriptedConnection) throws {
    while true {
      try connection.readHead()
      try connection.respond(200, "ok")
    }
  }

  @Test("Fifty requests in a row, with and without a body, use one connection")
  func reuse() async throws {
    let transport = makeTransport(CurlTransport.Configuration())
    try await withServer { connection in
      while true {
        let head = try connection.readHead()
        if head.hasPrefix("HEAD") {
          try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        } else if head.hasPrefix("DELETE") {
          try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
        } else {
          try connection.respond(200, "ok")
        }
      }
    } _: { server in
      for number in 0..<50 {
        let (_, body) = try await transport.send(.to(server, [.get, .head, .delete][number % 3]))
        _ = try await body.collect(upTo: 10)
      }
      #expect(server.heads.count == 50)
      #expect(server.accepted == 1)
    }
  }

  @Test("Sockets are closed in programs that the host program starts")
  func closeOnExec() async throws {
    let transport = makeTransport(CurlTransport.Configuration())
    try await withServer(Self.answerAll) { server in
      _ = try await transport.send(.get(server)).1.text()
      let flags = socketsConnected(to: server.port).map { fcntl($0, F_GETFD) }
      #expect(flags == [FD_CLOEXEC])
    }
  }

  @Test("No more connections to a host than allowed")
  func limit() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.maximumConnectionsPerHost = 3
    let transport = makeTransport(configuration)
    let mayAnswer = Signal()
    try await withServer { connection in
      while true {
        try connection.readHead()
        mayAnswer.block()
        try connection.respond(200, "ok")
      }
    } _: { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            let text = try await transport.send(.get(server)).1.text()
            #expect(text == "ok")
          }
        }
        #expect(await eventually { transport.engine.liveTransferCount == 20 && server.heads.count == 3 }, "all wait")
        mayAnswer.give()
        try await group.waitForAll()
      }
      #expect(server.accepted == 3)
    }
  }

  @Test(
    "A kept connection that ends without an answer is replaced if the method is idempotent; others are sent only once",
    arguments: [("GET", 0), ("PUT", 5), ("DELETE", 0), ("POST", 0), ("POST", 5), ("POST", 300_000), ("PATCH", 5)])
  func keepAliveRace(name: String, size: Int) async throws {
    let transport = makeTransport(CurlTransport.Configuration())
    try await withServer { connection in
      if connection.number == 1 {
        try connection.readHead()
        try connection.respond(200, "ok")
      }
      // The first connection takes a second request and closes, as a server does whose patience ends at that moment.
      try connection.readHead()
      _ = try connection.read(size)
      if connection.number == 2 { try connection.respond(200, "again") }
    } _: { server in
      _ = try await transport.send(.get(server)).1.text()
      let request = HTTPRequest.to(server, HTTPRequest.Method(rawValue: name))
      let body = size == 0 ? nil : HTTPBody([UInt8](repeating: 65, count: size))
      if ["POST", "PATCH"].contains(name) {
        #expect(await kind { _ = try await transport.send(request, body: body) } == .connectionLost)
        #expect(server.heads.count == 2)
      } else {
        #expect(try await transport.send(request, body: body).1.text() == "again")
        #expect(server.heads.count == 3)
      }
    }
  }

  @Test("A kept connection that the server has closed meanwhile is replaced, whatever the method")
  func closedMeanwhile() async throws {
    let transport = makeTransport(CurlTransport.Configuration())
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(200, "\(connection.number)")
    } _: { server in
      _ = try await transport.send(.get(server)).1.text()
      #expect(await eventually { server.open == 0 })
      #expect(try await transport.send(.to(server, .post), body: .empty).1.text() == "2")
    }
  }

  @Test(
    "What a server says unasked on a kept connection answers nothing: the connection is dropped",
    arguments: [HTTPRequest.Method.get, .post])
  func unaskedAnswer(method: HTTPRequest.Method) async throws {
    let transport = makeTransport(CurlTransport.Configuration())
    let speaks = Signal()
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(200, "\(connection.number)")
      if connection.number == 1 {
        speaks.block()
        try connection.respond(200, "unasked")
      }
      try connection.readHead()
      try connection.respond(200, "\(connection.number), again")
    } _: { server in
      let first = try await transport.send(.get(server)).1.text()
      #expect(first == "1")
      speaks.give()
      let answers = "HTTP/1.1 200 Status\r\nContent-Length: 1\r\n\r\n1".utf8.count
      #expect(await eventually { server.sent > answers }, "the server has spoken")
      let request = HTTPRequest.to(server, method)
      let body = method == .post ? HTTPBody.stream([[1]], length: .known(1)) : nil
      #expect(try await transport.send(request, body: body).1.text() == "2")
      #expect(server.heads.count == 2, "the first connection has carried one request")
      #expect(await eventually { server.open == 1 }, "it is closed")
      if method == .get {
        #expect(try await transport.send(.get(server)).1.text() == "2, again", "the second one is kept")
      }
    }
  }

  @Test("A released transport ends its thread and closes its connections")
  func release() async throws {
    try await withServer(Self.answerAll) { server in
      weak var engine: CurlEngine?
      do {
        let transport = makeTransport(CurlTransport.Configuration())
        engine = transport.engine
        let text = try await transport.send(.get(server)).1.text()
        #expect(text == "ok")
        #expect(engine != nil)
      }
      #expect(await eventually { engine == nil }, "the thread has let go of its engine")
      #expect(await eventually { server.open == 0 }, "the connection is closed")
    }
  }

  @Test("A body can be read to its end although the transport has been let go")
  func bodyOutlivesTransport() async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(Pattern.block.count * 20)\r\n\r\n")
      for _ in 0..<20 { try connection.write(Pattern.block) }
    } _: { server in
      weak var engine: CurlEngine?
      func open() async throws -> HTTPBody {
        let transport = makeTransport(CurlTransport.Configuration())
        engine = transport.engine
        return try await transport.send(.get(server)).1
      }
      let count = try await open().collect(upTo: 30_000_000).count
      #expect(count == Pattern.block.count * 20)
      #expect(await eventually { engine == nil }, "the thread has let go of its engine")
    }
  }

  @Test("A request that comes while the transport shuts down fails, and never waits")
  func shutdownRace() async throws {
    try await withServer { connection in
      connection.waitForClose()
    } _: { server in
      for _ in 0..<300 {
        let transport = makeTransport(CurlTransport.Configuration())
        transport.shutdown()
        #expect(await kind { _ = try await transport.send(.get(server)) } == .shutDown)
      }
    }
  }

  @Test("Shutting down fails what is under way and what comes later")
  func shutdown() async throws {
    let transport = makeTransport(CurlTransport.Configuration())
    try await withServer { connection in
      if try connection.readHead().hasPrefix("GET /body") {
        try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
      }
      connection.waitForClose()
    } _: { server in
      let (_, body) = try await transport.send(.get(server, "/body"))
      async let reading = kind { _ = try await body.collect(upTo: 10) }
      async let waiting = kind { _ = try await transport.send(.get(server)) }
      async let uploading = kind {
        let stream = HTTPBody {
          try await waitForCancellation()
          return nil
        }
        _ = try await transport.send(.to(server, .post), body: stream)
      }
      #expect(await eventually { server.heads.count == 3 }, "all are under way")
      transport.shutdown()
      let kinds = await [reading, waiting, uploading]
      #expect(kinds == [.shutDown, .shutDown, .shutDown])
      #expect(await kind { _ = try await transport.send(.get(server)) } == .shutDown)
      transport.shutdown()
      #expect(await eventually { server.open == 0 }, "the connections are closed")
    }
  }

  #if !canImport(Darwin)
    @Test("A transport that was made when descriptors were short says so, instead of never answering")
    func withoutDescriptors() async {
      await #expect(processExitsWith: .success) {
        // What is to be shown would otherwise be a wait without end.
        alarm(60)
        var taken: [Int32] = []
        while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
        let transport = CurlTransport()
        for descriptor in taken { close(descriptor) }
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: "/")
        // A command may come before the thread has gone to sleep, but not all of them.
        for _ in 0..<50 { _ = try? await transport.send(request) }
      }
    }
  #endif
}

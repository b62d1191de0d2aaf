import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterStreams
import Testing

/// Requests and responses over real sockets.
struct ExchangeTests {
  @Test("a request is answered, many on one connection")
  func keepAlive() async throws {
    try await withServer(handler: echo) { server in
      let client = try await RawClient(port: server.port)
      for number in 0..<200 {
        let response = try await client.exchange(
          "POST /a%2F/\(number)?q=\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
        #expect(response.status == 200)
        #expect(response.text == "POST /a%2F/\(number)?q=\(number) abc")
        #expect(response.field("Connection") == nil)
        #expect(response.field("Date")?.hasSuffix(" GMT") == true)
      }
    }
  }

  @Test("pipelined requests are answered in order, bodies and refusals included")
  func pipelining() async throws {
    let areAllSent = Signal()
    let handler: HTTPServer.Handler = { request in
      try await areAllSent.wait()
      return try await echo(request)
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      var requests = ""
      for number in 0..<50 { requests += "PUT /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab" }
      try await client.send(requests + "BAD\r\n\r\n")
      areAllSent.fire()
      for number in 0..<50 { #expect(try await client.response().text == "PUT /\(number) ab") }
      let refusal = try await client.response()
      #expect(refusal.status == 400)
      #expect(refusal.field("Connection") == "close")
      #expect(try await client.receiveAll().bytes.isEmpty)
    }
  }

  @Test("the peer's address and the request's fields reach the handler")
  func request() async throws {
    let handler: HTTPServer.Handler = { request in
      text(
        "\(request.peer.host) \(request.peer.port > 0) \(request.head.authority ?? "") \(request.head.headerFields.count)"
      )
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      let response = try await client.exchange("GET / HTTP/1.1\r\nHost: example.com\r\nA: b\r\nA: c\r\n\r\n")
      #expect(response.text == "127.0.0.1 true example.com 3")
    }
  }

  @Test("HEAD has the length and no body, 204 has neither")
  func bodyless() async throws {
    let handler: HTTPServer.Handler = { $0.head.path == "/204" ? text("ignored", status: 204) : text("12345") }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      #expect(try await client.exchange("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").field("Content-Length") == "5")
      let empty = try await client.exchange("GET /204 HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(empty.status == 204)
      #expect(empty.field("Content-Length") == nil)
      #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").text == "12345")
    }
  }

  @Test("a stream of unknown length is chunked for 1.1 and ends with the connection for 1.0")
  func unknownLength() async throws {
    let handler: HTTPServer.Handler = { _ in
      let left = Counter()
      return ServerResponse(status: .ok, body: HTTPBody { left.add() <= 3 ? Array("part\(left.value)".utf8) : nil })
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      for _ in 0..<2 {
        let response = try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(response.field("Transfer-Encoding") == "chunked")
        #expect(response.text == "part1part2part3")
      }
      let old = try await RawClient(port: server.port)
      let response = try await old.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(response.field("Transfer-Encoding") == nil)
      #expect(response.field("Connection") == "close")
      #expect(response.text == "part1part2part3")
    }
  }

  @Test("HTTP/1.0 keeps the connection when it asks to")
  func version10() async throws {
    try await withServer(handler: echo) { server in
      let client = try await RawClient(port: server.port)
      let kept = try await client.exchange("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(kept.field("Connection") == "keep-alive")
      let last = try await client.exchange("GET /2 HTTP/1.0\r\n\r\n")
      #expect(last.field("Connection") == "close")
      #expect(try await client.receiveAll().bytes.isEmpty)
    }
  }

  @Test("a stream that throws, or that is shorter or longer than it said, breaks the connection")
  func brokenStreams() async throws {
    struct Broken: Error {}
    let handler: HTTPServer.Handler = { request in
      let count = Counter()
      let length: HTTPBody.Length = request.head.path == "/throws" ? .unknown : .known(8)
      return ServerResponse(
        status: .ok,
        body: HTTPBody(length: length) {
          if count.add() == 1 { return Array("12345".utf8) }
          if request.head.path == "/throws" { throw Broken() }
          return request.head.path == "/long" ? Array("67890".utf8) : nil
        })
    }
    try await withServer(handler: handler) { server in
      for path in ["/throws", "/short", "/long"] {
        let client = try await RawClient(port: server.port)
        try await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        let (bytes, isReset) = try await client.receiveAll()
        let received = String(decoding: bytes, as: UTF8.self)
        #expect(isReset, "\(path)")
        #expect(!received.contains("\r\n0\r\n"))
        #expect(!received.contains("678"))
      }
    }
  }

  @Test("an error of the handler is a 500 without its words, and the connection lives on")
  func handlerThrows() async throws {
    struct Secret: Error { let password = "hunter2" }
    try await withServer(handler: { _ in throw Secret() }) { server in
      let client = try await RawClient(port: server.port)
      for _ in 0..<2 {
        let response = try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(response.status == 500)
        #expect(response.text == #"{"code":"500","message":"The server could not answer this request."}"#)
      }
    }
  }

  @Test("a CancellationError of the handler closes the connection without an answer")
  func handlerCancels() async throws {
    try await withServer(handler: { _ in throw CancellationError() }) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.receiveAll().bytes.isEmpty)
    }
  }

  @Test("a field value that would split the response becomes a 500")
  func injection() async throws {
    let handler: HTTPServer.Handler = { _ in
      ServerResponse(status: .ok, headerFields: [.location: "/\r\nSet-Cookie: a=b"])
    }
    try await withServer(handler: handler) { server in
      let response = try await RawClient(port: server.port).exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(response.status == 500)
      #expect(response.field("Set-Cookie") == nil)
    }
  }

  @Test("the configuration words the server's own answers")
  func errorResponse() async throws {
    try await withServer {
      $0.errorResponse = { text("\($0.code): \($1)", status: $0) }
    } handler: { _ in
      throw CancellationError()
    } _: { server in
      let response = try await RawClient(port: server.port).exchange("GET / HTTP/1.1\r\n\r\n")
      #expect(response.status == 400)
      #expect(response.text == "400: HTTP/1.1 wants a Host field.")
    }
  }

  @Test("100 Continue comes with the first read, and not at all when the handler does not read")
  func expectContinue() async throws {
    let handler: HTTPServer.Handler = { request in
      request.head.path == "/read" ? try await echo(request) : text("no, thanks")
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      let fields = "Host: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
      #expect(try await client.exchange("POST /read HTTP/1.1\r\n" + fields).status == 100)
      #expect(try await client.exchange("body").text == "POST /read body")
      let refused = try await client.exchange("POST /no HTTP/1.1\r\n" + fields)
      #expect(refused.text == "no, thanks")
      #expect(refused.field("Connection") == "close")
    }
  }

  @Test("a body that nobody reads is skipped when it is short and ends the connection when it is not")
  func unreadBody() async throws {
    try await withServer(handler: { _ in text("done") }) { server in
      let client = try await RawClient(port: server.port)
      let short = try await client.exchange("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
      #expect(short.field("Connection") == nil)
      try await client.send(String(repeating: "x", count: 1000))
      let long = try await client.exchange("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
      #expect(long.text == "done")
      #expect(long.field("Connection") == "close")
      #expect(try await client.receiveAll().bytes.isEmpty)
    }
  }

  @Test("a client that only shuts down its sending side is answered, whatever it has asked and however long that is")
  func halfClosed() async throws {
    let handler: HTTPServer.Handler = { request in
      request.head.path == "/large"
        ? ServerResponse(status: .ok, body: HTTPBody([UInt8](repeating: 0x61, count: 8_000_000)))
        : try await echo(request)
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
      try await client.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /large HTTP/1.1\r\nHost: x\r\n\r\n")
      client.endSending()
      #expect(try await client.response().text == "POST /1 ab")
      #expect(try await client.response().text == "GET /2 ")
      #expect(try await client.response().body.count == 8_000_000)
      #expect(try await client.receiveAll() == ([], false))
    }
  }

  @Test("every malformed request gets 400 or is too much for the server, which goes on serving", arguments: malformed)
  func malformedRequests(_ request: String) async throws {
    try await withServer(handler: echo) { server in
      let client = try await RawClient(port: server.port)
      let response = try await client.exchange(request)
      #expect(response.status == 400)
      #expect(response.field("Connection") == "close")
      #expect(response.text.hasPrefix(#"{"code":"400","message":""#))
      #expect(try await client.receiveAll().bytes.isEmpty)
      let next = try await RawClient(port: server.port)
      #expect(try await next.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
    }
  }

  @Test("heads and bodies beyond their limits are answered with 431 and 413")
  func limits() async throws {
    try await withServer {
      $0.maximumHeadBytes = 2000
      $0.maximumBodyBytes = 10
    } handler: {
      try await echo($0)
    } _: { server in
      let long = String(repeating: "x", count: 2000)
      let head = try await RawClient(port: server.port).exchange("GET / HTTP/1.1\r\nHost: x\r\nX: \(long)\r\n\r\n")
      #expect(head.status == 431)
      let length = try await RawClient(port: server.port).exchange(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n")
      #expect(length.status == 413)
      let chunked = try await RawClient(port: server.port).exchange(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n8\r\n12345678\r\n")
      #expect(chunked.status == 413)
      #expect(chunked.field("Connection") == "close")
      let version = try await RawClient(port: server.port).exchange("GET / HTTP/2.0\r\nHost: x\r\n\r\n")
      #expect(version.status == 505)
    }
  }

  @Test("a client that is refused while it uploads still gets the answer")
  func refusedUpload() async throws {
    try await withServer {
      $0.maximumBodyBytes = 1000
    } handler: {
      try await echo($0)
    } _: { server in
      let client = try await RawClient(port: server.port)
      try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n")
      try await client.send([UInt8](repeating: 0x61, count: 2_000_000))
      #expect(try await client.response().status == 413)
    }
  }
}

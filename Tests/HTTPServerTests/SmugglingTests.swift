import SwiftwaterHTTP
import Testing

@testable import SwiftwaterHTTPServer

/// Requests that two programs might take for different ones.
struct SmugglingTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var status = 400

    init(_ name: String, _ text: String, status: Int = 400) {
      self.name = name
      bytes = Array(text.utf8)
      self.status = status
    }

    var testDescription: String { name }
  }

  private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  private static func post(_ fields: String, _ body: String = "0\r\n\r\n") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)\(smuggled)"
  }

  private static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked", body) }

  static let vectors: [Vector] = [
    // Lengths.
    Vector("two lengths", post("Content-Length: 5\r\nContent-Length: 6", "hello")),
    Vector("the same length twice", post("Content-Length: 5\r\ncontent-length: 5", "hello")),
    Vector("a list of lengths", post("Content-Length: 5, 5", "hello")),
    Vector("a length with a sign", post("Content-Length: +5", "hello")),
    Vector("a length with a space within", post("Content-Length: 5 0", "hello")),
    Vector("a length with an underscore", post("Content-Length: 1_0", "hello")),
    Vector("a length in hexadecimal", post("Content-Length: 0x5", "hello")),
    Vector("a length of full-width digits", post("Content-Length: ５", "hello")),
    Vector("a length that overflows", post("Content-Length: 18446744073709551621", "hello")),
    Vector("an empty length", post("Content-Length: ", "hello")),
    Vector("a length that is a fraction", post("Content-Length: 5.0", "hello")),
    // Lengths and codings.
    Vector("a length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked")),
    Vector("chunks and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5")),
    Vector("a length of nothing and chunks", post("Content-Length: 0\r\nTransfer-Encoding: chunked")),
    Vector("a length and identity", post("Content-Length: 5\r\nTransfer-Encoding: identity", "hello")),
    // Codings.
    Vector("chunked, identity", post("Transfer-Encoding: chunked, identity")),
    Vector("identity, chunked", post("Transfer-Encoding: identity, chunked")),
    Vector("gzip, chunked", post("Transfer-Encoding: gzip, chunked")),
    Vector("xchunked", post("Transfer-Encoding: xchunked")),
    Vector("chunkedx", post("Transfer-Encoding: chunkedx")),
    Vector("chunked with a comma", post("Transfer-Encoding: chunked,")),
    Vector("a comma with chunked", post("Transfer-Encoding: ,chunked")),
    Vector("chunked with a parameter", post("Transfer-Encoding: chunked;a=b")),
    Vector("chunked in quotes", post("Transfer-Encoding: 'chunked'")),
    Vector("chunked behind a vertical tab", post("Transfer-Encoding: \u{B}chunked")),
    Vector("chunked behind a no-break space", post("Transfer-Encoding: \u{A0}chunked")),
    Vector("chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")),
    Vector("chunked and another", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: x")),
    Vector("another and chunked", post("Transfer-Encoding: x\r\nTransfer-Encoding: chunked")),
    Vector("an empty coding", post("Transfer-Encoding:")),
    Vector(
      "chunks of an old client", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled),
    // Names.
    Vector("a space before the colon", post("Transfer-Encoding : chunked")),
    Vector("a tab before the colon", post("Transfer-Encoding\t: chunked")),
    Vector("a space before the name", post("X: y\r\n Transfer-Encoding: chunked")),
    Vector("a folded line", post("Transfer-Encoding:\r\n chunked")),
    Vector("a folded line with a tab", post("Transfer-Encoding:\r\n\tchunked")),
    Vector("a folded line first", "GET / HTTP/1.1\r\n Host: a\r\n\r\n" + smuggled),
    Vector("a name with NUL", post("Transfer-Encoding\u{0}: chunked")),
    Vector("no name", post(": chunked")),
    Vector("no colon", post("Transfer-Encoding chunked")),
    // Characters.
    Vector("NUL in a value", post("X: a\u{0}b\r\nContent-Length: 0", "")),
    Vector("NUL in the target", "GET /a\u{0}b HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("a bare CR in a value", post("X: a\rTransfer-Encoding: chunked")),
    Vector("a bare CR in the request line", "GET / HTTP/1.1\rHost: a\r\n\r\n" + smuggled),
    Vector("a bare LF behind a field", post("X: a\nTransfer-Encoding: chunked")),
    Vector("a bare LF behind the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n" + smuggled),
    Vector("bare LFs all through", "GET / HTTP/1.1\nHost: a\n\n" + smuggled),
    Vector("an empty line of a bare LF", "GET / HTTP/1.1\r\nHost: a\r\n\n" + smuggled),
    Vector("CR CR LF", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n" + smuggled),
    // Host.
    Vector("no Host", "GET / HTTP/1.1\r\nX: a\r\n\r\n" + smuggled),
    Vector("no Host beside an absolute target", "GET http://a/ HTTP/1.1\r\nX: a\r\n\r\n" + smuggled),
    Vector("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + smuggled),
    Vector("the same Host twice", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n" + smuggled),
    Vector("a list of Hosts", "GET / HTTP/1.1\r\nHost: a, b c\r\n\r\n" + smuggled),
    Vector("a Host with user information", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n" + smuggled),
    Vector("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n" + smuggled),
    // Targets.
    Vector("the authority form", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("an asterisk for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("an absolute target without a host", "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("an absolute target of another scheme", "GET file:///x HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("a relative target", "GET a HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("a fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("a fragment of an absolute target", "GET http://a/?b#c HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("a fragment that looks like a version", "GET /a#HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("an unknown expectation", post("Expect: 200-maybe\r\nContent-Length: 5", "hello"), status: 417),
    Vector("an unknown expectation beside the known one", post("Expect: 100-continue, x"), status: 417),
    Vector("many empty lines", String(repeating: "\r\n", count: 5) + smuggled),
    Vector("no target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("two spaces", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("a tab for a space", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("a version in lower case", "GET / http/1.1\r\nHost: a\r\n\r\n" + smuggled),
    Vector("HTTP/0.9", "GET /\r\n\r\n" + smuggled),
    Vector("another version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n" + smuggled, status: 505),
    Vector(
      "a head that is too large", "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n",
      status: 431),
    Vector("a head that never ends", "GET /" + String(repeating: "x", count: 70_000), status: 431),
    // Chunks.
    Vector("a chunk size that overflows", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n")),
    Vector("a chunk size with a sign", chunked("+5\r\nhello\r\n0\r\n\r\n")),
    Vector("a chunk size with 0x", chunked("0x5\r\nhello\r\n0\r\n\r\n")),
    Vector("a chunk size behind a space", chunked(" 5\r\nhello\r\n0\r\n\r\n")),
    Vector("a chunk size before a space", chunked("5 \r\nhello\r\n0\r\n\r\n")),
    Vector("a chunk size with an underscore", chunked("1_0\r\nhello\r\n0\r\n\r\n")),
    Vector("an empty chunk size", chunked("\r\nhello\r\n0\r\n\r\n")),
    Vector("a chunk size before a bare LF", chunked("5\nhello\r\n0\r\n\r\n")),
    Vector("a chunk size before a bare CR", chunked("5\rhello\r\n0\r\n\r\n")),
    Vector("an extension before a bare LF", chunked("5;a\nhello\r\n0\r\n\r\n")),
    Vector("an extension with a control character", chunked("5;a=\u{1}\r\nhello\r\n0\r\n\r\n")),
    Vector("an extension without end", chunked("5;" + String(repeating: "a", count: 20_000))),
    Vector("a chunk longer than its size", chunked("5\r\nhelloo\r\n0\r\n\r\n")),
    Vector("a chunk before a bare LF", chunked("5\r\nhello\n0\r\n\r\n")),
    Vector("a trailer before a bare LF", chunked("0\r\nX: y\n\r\n")),
    Vector("a trailer with a space in its name", chunked("0\r\nX Y: z\r\n\r\n")),
    Vector("a folded trailer", chunked("0\r\nX: y\r\n z\r\n\r\n")),
    Vector("a trailer with a bare CR", chunked("0\r\nX: y\rz\r\n\r\n")),
    Vector("trailers without end", chunked("0\r\n" + String(repeating: "X: y\r\n", count: 5000))),
  ]

  @Test("is refused, ends the connection, and nothing behind it is answered", arguments: vectors)
  func refused(_ vector: Vector) async throws {
    let smuggled = Counter()
    let handler: HTTPServer.Handler = { request in
      if request.head.path == "/smuggled" { smuggled.add() }
      return try await echo(request)
    }
    try await withServer(handler: handler) { server in
      let client = try await RawClient(port: server.port)
      try await client.send(vector.bytes)
      let (bytes, _) = try await client.receiveAll()
      let answer = String(decoding: bytes, as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 \(vector.status) "), "\(answer)")
      #expect(answer.contains("Connection: close\r\n"))
      #expect(answer.ranges(of: "\r\nDate: ").count == 1, "\(answer)")
      #expect(smuggled.value == 0)
    }
  }

  @Test("the parser comes to the same verdict byte by byte", arguments: vectors)
  func splits(_ vector: Vector) {
    func outcome(_ size: Int) -> RequestParserProbe.Outcome {
      RequestParserProbe.outcome(of: vector.bytes, pieceSize: size)
    }
    let whole = outcome(.max)
    #expect(whole.error != nil)
    for size in [1, 2, 3, 7, 64] { #expect(outcome(size) == whole, "pieces of \(size)") }
  }

  @Test("what is right is taken for one thing only, and the next request is found behind it")
  func accepted() async throws {
    let requests: [(String, String)] = [
      (
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n5;x=\"y\\\"\";z\r\nhello\r\n0\r\n\r\n",
        "POST /a hello"
      ),
      (
        "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \t chunked \t\r\n\r\n2\r\nhi\r\n00\r\nContent-Length: 9\r\nX: y\r\n\r\n",
        "POST /b hi"
      ),
      ("POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 0003\r\n\r\nabc", "POST /c abc"),
      ("GET /d HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "GET /d "),
      ("GET http://other:80/e?f HTTP/1.1\r\nHost: a\r\n\r\n", "GET /e?f "),
      ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * "),
      ("\r\n\r\n\r\nGET /g HTTP/1.1\r\nHost:a\r\nTransfer_Encoding: chunked\r\n\r\n", "GET /g "),
      ("GET /h?\"<>[]{}|\\^` HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "GET /h?\"<>[]{}|\\^` "),
    ]
    try await withServer(handler: echo) { server in
      let client = try await RawClient(port: server.port)
      try await client.send(requests.map(\.0).joined())
      for (request, expected) in requests { #expect(try await client.response().text == expected, "\(request)") }
    }
  }

  @Test("a refusal behind pipelined requests comes behind their answers, and ends the connection")
  func refusedBehindOthers() async throws {
    let good = "POST /good HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
    try await withServer(handler: echo) { server in
      for (bad, status) in [
        ("GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n", 417),
        (String(repeating: "\r\n", count: 5), 400),
      ] {
        let client = try await RawClient(port: server.port)
        try await client.send(good + "\r\n\r\n" + good + bad + Self.smuggled)
        for _ in 0..<2 { #expect(try await client.response().text == "POST /good hi") }
        let refusal = try await client.response()
        #expect(refusal.status == status)
        #expect(refusal.field("Connection") == "close")
        #expect(try await client.receiveAll() == ([], false))
      }
    }
  }

  @Test("a body whose end is missing is waited for, and then given up")
  func incomplete() async throws {
    try await withServer {
      $0.bodyTimeout = .milliseconds(50)
      $0.headTimeout = .milliseconds(50)
    } handler: {
      try await echo($0)
    } _: { server in
      for text in [Self.chunked("5\r\nhel"), Self.chunked("0\r\n"), "GET / HTTP/1.1\r\nHost: a\r\n"] {
        let client = try await RawClient(port: server.port)
        try await client.send(text.replacing(Self.smuggled, with: ""))
        #expect(try await client.response().status == 408)
        #expect(try await client.receiveAll().bytes.isEmpty)
      }
    }
  }
}

import SwiftwaterHTTP
import Testing

@testable import SwiftwaterHTTPServer

struct RequestParserTests {
  /// What a parser makes of the bytes, fed in these pieces; adjacent parts of a body are joined.
  private func events(
    _ pieces: [[UInt8]], maximumHead: Int = 1024, maximumBody: Int64? = nil
  ) -> ([RequestParser.Event], HTTPServerError?) {
    var parser = RequestParser(maximumHeadBytes: maximumHead, maximumBodyBytes: maximumBody)
    var events: [RequestParser.Event] = []
    do {
      for piece in pieces {
        piece.withUnsafeBytes { parser.append($0) }
        while let event = try parser.next() {
          if case .body(let more) = event, case .body(let begun) = events.last {
            events[events.count - 1] = .body(begun + more)
          } else {
            events.append(event)
          }
        }
      }
      return (events, nil)
    } catch {
      return (events, error)
    }
  }

  private func events(_ text: String, maximumHead: Int = 1024, maximumBody: Int64? = nil) -> (
    [RequestParser.Event], HTTPServerError?
  ) {
    events([Array(text.utf8)], maximumHead: maximumHead, maximumBody: maximumBody)
  }

  private func head(_ text: String) throws -> RequestHead {
    let (events, error) = events(text)
    if let error { throw error }
    guard case .head(let head)? = events.first else {
      throw HTTPServerError(code: .malformedRequest, message: "no head")
    }
    return head
  }

  @Test("a request line and its fields arrive as written")
  func simple() throws {
    let head = try head(
      "GET /a%2Fb/../c?x=1&y=%20 HTTP/1.1\r\nHost: example.com:80\r\nX-Empty:\r\nx-Two: \t a b \t\r\n\r\n")
    #expect(head.request.method == .get)
    #expect(head.request.path == "/a%2Fb/../c?x=1&y=%20")
    #expect(head.request.authority == "example.com:80")
    #expect(head.request.headerFields.map(\.name.rawName) == ["Host", "X-Empty", "x-Two"])
    #expect(head.request.headerFields.map(\.value) == ["example.com:80", "", "a b"])
    #expect(head.framing == .none)
    #expect(head.keepsAlive)
  }

  @Test("every way to split the input gives the same events")
  func splits() {
    let text =
      "\r\nPOST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
      + "PUT /two HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n00a\r\n, world!!!\r\n0\r\nT: v\r\n\r\n"
      + "\r\nGET /three HTTP/1.1\r\nHost: a\r\n\r\n"
    let bytes = Array(text.utf8)
    let (whole, error) = events([bytes])
    #expect(error == nil)
    #expect(whole.count == 7)
    #expect(whole.contains(.body(Array("hello, world!!!".utf8))))
    for first in 0...bytes.count {
      let (split, error) = events([Array(bytes[..<first]), Array(bytes[first...])])
      #expect(error == nil && split == whole, "split at \(first)")
    }
    let (single, singleError) = events(bytes.map { [$0] })
    #expect(singleError == nil && single == whole)
  }

  @Test("a malformed request is refused with the same code however it is split", arguments: malformed)
  func refused(_ text: String) {
    let bytes = Array(text.utf8)
    let (_, error) = events([bytes])
    #expect(error?.code == .malformedRequest)
    for first in 0..<bytes.count {
      let (_, error) = events([Array(bytes[..<first]), Array(bytes[first...])])
      #expect(error?.code == .malformedRequest, "split at \(first)")
    }
  }

  @Test("damaged requests never trap the parser, and mean the same whole and byte by byte")
  func damaged() {
    let valid = Array(
      ("POST /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloPUT / HTTP/1.1\r\nHost: [::1]:80\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: v\r\n\r\nOPTIONS * HTTP/1.0\r\nX: y \r\n\r\n")
        .utf8)
    let alphabet = Array("\r\n \t:;,/*[]0fG\u{0}\u{7F}é".utf8)
    var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
    for _ in 0..<1500 {
      var bytes = valid
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        case 1: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: place)
        case 2: bytes.remove(at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1..<20, using: &random)))
        }
      }
      let (whole, error) = events([bytes])
      let (single, singleError) = events(bytes.map { [$0] })
      #expect(whole == single && error == singleError, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test("other versions are refused as such", arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/3.1"])
  func versions(_ version: String) {
    #expect(events("GET / \(version)\r\nHost: a\r\n\r\n").1?.code == .versionNotSupported)
    #expect(events("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").1?.code == .versionNotSupported)
  }

  @Test("a head may be as large as the limit, complete or not, and no larger")
  func headLimit() throws {
    let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    let fitting = start + String(repeating: "x", count: 200 - start.utf8.count - 4) + "\r\n\r\n"
    #expect(events(fitting, maximumHead: 200).1 == nil)
    #expect(events(fitting, maximumHead: 199).1?.code == .headTooLarge)
    #expect(events(String(fitting.dropLast(5)), maximumHead: 199).1 == nil)
    #expect(events(start + String(repeating: "x", count: 300), maximumHead: 199).1?.code == .headTooLarge)
  }

  @Test("a body beyond the limit is refused, by its length at once and by its chunks when they come")
  func bodyLimit() {
    let length = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
    #expect(events(length + "10\r\n\r\n0123456789", maximumBody: 10).1 == nil)
    #expect(events(length + "11\r\n\r\n", maximumBody: 10).1?.code == .contentTooLarge)
    let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(events(chunked + "5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n", maximumBody: 10).1 == nil)
    let (begun, error) = events(chunked + "5\r\n01234\r\n6\r\n567890\r\n0\r\n\r\n", maximumBody: 10)
    #expect(begun.last == .body(Array("01234".utf8)))
    #expect(error?.code == .contentTooLarge)
  }

  @Test("an error stays: the connection cannot go on")
  func errorStays() {
    var parser = RequestParser(maximumHeadBytes: 100, maximumBodyBytes: nil)
    Array("GET\r\n\r\n".utf8).withUnsafeBytes { parser.append($0) }
    #expect(throws: HTTPServerError.self) { try parser.next() }
    Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8).withUnsafeBytes { parser.append($0) }
    #expect(throws: HTTPServerError.self) { try parser.next() }
  }

  @Test("an absolute target gives the authority, whatever Host says; the rest is untouched")
  func absoluteTarget() throws {
    let full = try head("GET http://example.com:8080/a%20b?c=/d HTTP/1.1\r\nHost: other\r\n\r\n").request
    #expect(full.scheme == "http")
    #expect(full.authority == "example.com:8080")
    #expect(full.path == "/a%20b?c=/d")
    #expect(try head("GET HTTPS://example.com HTTP/1.1\r\nHost: a\r\n\r\n").request.path == "/")
    #expect(try head("GET http://example.com?q HTTP/1.1\r\nHost: a\r\n\r\n").request.path == "/?q")
  }

  @Test("the target * is for OPTIONS")
  func asteriskTarget() throws {
    #expect(try head("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").request.path == "*")
    #expect(events("GET * HTTP/1.1\r\nHost: a\r\n\r\n").1?.code == .malformedRequest)
  }

  @Test(
    "hosts with ports, IPv6 and nothing at all are valid",
    arguments: ["a", "a.b-c_d:80", "[::1]:80", "[::1]", "", "a:"])
  func hosts(_ host: String) throws {
    #expect(try head("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").request.authority == host)
  }

  @Test("the connection lives on as the client's version and its Connection field say")
  func keepAlive() throws {
    func keepsAlive(_ version: String, _ fields: String) throws -> Bool {
      try head("GET / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n").keepsAlive
    }
    #expect(try keepsAlive("1.1", ""))
    #expect(try !keepsAlive("1.1", "Connection: upgrade , CLOSE\r\n"))
    #expect(try !keepsAlive("1.1", "Connection: keep-alive\r\nConnection: close\r\n"))
    #expect(try !keepsAlive("1.0", ""))
    #expect(try keepsAlive("1.0", "Connection: Keep-Alive\r\n"))
  }

  @Test("only a 1.1 client with a body can wait for 100 Continue")
  func expect() throws {
    func expects(_ version: String, _ fields: String) throws -> Bool {
      try head("POST / HTTP/\(version)\r\nHost: a\r\nExpect: 100-Continue\r\n\(fields)\r\n").expectsContinue
    }
    #expect(try expects("1.1", "Content-Length: 1\r\n"))
    #expect(try expects("1.1", "Transfer-Encoding: chunked\r\n"))
    #expect(try !expects("1.1", ""))
    #expect(try !expects("1.0", "Content-Length: 1\r\n"))
  }

  @Test("what no server knows how to meet is refused with 417; an empty expectation is none")
  func unknownExpectation() throws {
    func error(_ value: String) -> HTTPServerError.Code? {
      events("POST / HTTP/1.1\r\nHost: a\r\nExpect: \(value)\r\nContent-Length: 1\r\n\r\nx").1?.code
    }
    for value in [
      "200-ok", "100-continue, x", "x,100-continue", "100-continue;q=1", "100 continue", "\"100-continue\"",
    ] {
      #expect(error(value) == .expectationFailed, "\(value)")
    }
    for value in ["", "100-CONTINUE", "100-continue,", ", ,100-continue", "100-continue,100-continue"] {
      #expect(error(value) == nil, "\(value)")
    }
    // What is malformed besides is said first.
    #expect(events("GET / HTTP/1.1\r\nExpect: x\r\n\r\n").1?.code == .expectationFailed)
    #expect(events("GET / HTTP/1.1\r\nExpect: x\r\nX Y: z\r\n\r\n").1?.code == .malformedRequest)
    #expect(HTTPServerError(code: .expectationFailed, message: "").status == 417)
  }

  @Test("up to four empty lines before any request are skipped, one more is malformed")
  func emptyLines() {
    let first = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
    for count in 0...6 {
      let lines = String(repeating: "\r\n", count: count)
      for text in [lines + first + lines + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n", first + lines] {
        let (events, error) = events(Array(text.utf8).map { [$0] })
        #expect(error?.code == (count > 4 ? .malformedRequest : nil), "\(count)")
        if count <= 4 { #expect(events.count == (text.hasSuffix("a\r\n\r\n") ? 4 : 3)) }
      }
    }
  }

  @Test("text beyond ASCII is read as UTF-8, or else as ISO 8859-1")
  func text() throws {
    #expect(
      try head("GET /å HTTP/1.1\r\nHost: a\r\nX: grün\r\n\r\n").request.headerFields[.init(unchecked: "X")] == "grün")
    let latin = Array("GET / HTTP/1.1\r\nHost: a\r\nX: gr".utf8) + [0xFC] + Array("n\r\n\r\n".utf8)
    guard case .head(let head)? = events([latin]).0.first else {
      Issue.record("no head")
      return
    }
    #expect(head.request.headerFields[.init(unchecked: "X")] == "grün")
    let target = Array("GET /".utf8) + [0xFC] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    #expect(events([target]).1?.code == .malformedRequest)
  }

  @Test("a byte is allowed where it is allowed, and nowhere else")
  func byteSets() {
    for byte in UInt8.min...UInt8.max {
      #expect(ByteSet.token.contains(byte) == byte.isHTTPToken, "\(byte)")
      let isHost = byte < 128 && (byte.isHTTPToken && !"#^`|".utf8.contains(byte) || "(),;=:[]".utf8.contains(byte))
      #expect(ByteSet.host.contains(byte) == isHost, "\(byte)")
    }
  }

  @Test("many requests in one piece come out in order, however far the buffer has been read")
  func pipelined() {
    let count = 2000
    let text = (0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
    let bytes = Array(text.utf8)
    let (events, error) = events(
      stride(from: 0, to: bytes.count, by: 7001).map {
        Array(bytes[$0..<min($0 + 7001, bytes.count)])
      })
    #expect(error == nil)
    let paths = events.compactMap { if case .head(let head) = $0 { head.request.path } else { nil } }
    #expect(paths == (0..<count).map { "/\($0)" })
  }
}

/// The same numbers every time.
private struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// Requests that must be refused with 400.
let malformed: [String] = [
  "GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: :80\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a]\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\nhello",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
  "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
  "GET / HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\nX: a\r\n\r\n",
  "GET / HTTP/1.1\nHost: a\n\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7F}b\r\n\r\n",
  "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX Y: a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX\u{E9}: a\r\n\r\n",
  "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
  " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /a\u{1}b HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
  "GET / http/1.1\r\nHost: a\r\n\r\n",
  "GET / HTTP/11\r\nHost: a\r\n\r\n",
  "GET / HTTP/1.1.1\r\nHost: a\r\n\r\n",
  "GET /\r\n\r\n",
  "GET\r\n\r\n",
  "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
  "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
  "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "\r\n\r\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET # HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET http://a/b?c#d HTTP/1.1\r\nHost: a\r\n\r\n",
  "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "\u{16}\u{3}\u{1}",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5 5\r\nhello\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a\nhello\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r0\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad name: x\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n x\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: a\u{0}\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\n",
]

import SwiftwaterHTTP
import Testing

@testable import SwiftwaterHTTPServer

struct ResponseWriterTests {
  private func writer(
    _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:], body: HTTPBody = .empty,
    isHead: Bool = false, isVersion10: Bool = false
  ) -> ResponseWriter? {
    ResponseWriter(
      ServerResponse(status: status, headerFields: fields, body: body),
      to: RequestTraits(isHead: isHead, isVersion10: isVersion10))
  }

  private func head(_ writer: ResponseWriter?, keepsAlive: Bool = true) throws -> [String] {
    let bytes = try #require(writer).head(keepsAlive: keepsAlive, date: DateFieldCache().now, reserving: 0)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
      .filter { !$0.hasPrefix("Date: ") }
  }

  private var stream: HTTPBody { HTTPBody { nil } }

  @Test("the body's length decides the framing")
  func framing() {
    #expect(writer(body: HTTPBody("abc"))?.framing == .length(3))
    #expect(writer()?.framing == .length(0))
    #expect(writer(body: HTTPBody(length: .known(9)) { nil })?.framing == .length(9))
    #expect(writer(body: stream)?.framing == .chunked)
    #expect(writer(body: stream, isVersion10: true)?.framing == .untilClose)
    #expect(writer(204, body: HTTPBody("abc"))?.framing == ResponseWriter.Framing.none)
    #expect(writer(304, body: stream)?.framing == ResponseWriter.Framing.none)
    #expect(writer(204, body: HTTPBody("abc"))?.sendsBody == false)
  }

  @Test("the answer to HEAD speaks of the body it does not have")
  func headRequest() throws {
    #expect(writer(body: HTTPBody("abc"), isHead: true)?.sendsBody == false)
    #expect(try head(writer(body: HTTPBody("abc"), isHead: true)).contains("Content-Length: 3"))
    #expect(try head(writer(.ok, [.contentLength: "12"], isHead: true)).contains("Content-Length: 12"))
    for fields in [[:], [.contentLength: "-1"]] as [HTTPFields] {
      #expect(try !head(writer(.ok, fields, isHead: true)).contains("Content-Length"))
    }
    #expect(try head(writer(body: stream, isHead: true)).contains("Transfer-Encoding: chunked"))
  }

  @Test("the fields of the connection are the server's")
  func ownFields() throws {
    let fields: HTTPFields = [
      .contentLength: "99", .transferEncoding: "gzip", .connection: "upgrade", .contentType: "a/b",
      .init(unchecked: "set-COOKIE"): "x",
    ]
    let lines = ["HTTP/1.1 200 OK", "Content-Type: a/b", "set-COOKIE: x", "Content-Length: 3"]
    #expect(try head(writer(.ok, fields, body: HTTPBody("abc"))) == lines)
    #expect(try head(writer(.ok, fields, body: HTTPBody("abc")), keepsAlive: false) == lines + ["Connection: close"])
    #expect(
      try head(writer(.ok, fields, body: HTTPBody("abc"), isVersion10: true)) == lines + ["Connection: keep-alive"])
    #expect(writer(.ok, [.connection: "Close"])?.allowsKeepAlive == false)
    #expect(writer(body: stream, isVersion10: true)?.allowsKeepAlive == false)
    #expect(writer(body: stream)?.allowsKeepAlive == true)
  }

  @Test("a Date that the handler sets stays the only one")
  func date() throws {
    let writer = try #require(self.writer(.ok, [.date: "yesterday"]))
    let head = String(decoding: writer.head(keepsAlive: true, date: DateFieldCache().now, reserving: 0), as: UTF8.self)
    #expect(head.split(separator: "\r\n").filter { $0.hasPrefix("Date: ") } == ["Date: yesterday"])
  }

  @Test("what would break the message is not written", arguments: ["a\r\nb: c", "a\nb", "a\rb", "a\u{0}b"])
  func injection(_ value: String) {
    #expect(writer(.ok, [.location: value]) == nil)
  }

  @Test("a status that is none, or that ends no exchange, is not written", arguments: [0, 99, 100, 101, 199, 1000])
  func status(_ code: Int) {
    #expect(writer(HTTPResponse.Status(code: code)) == nil)
  }

  @Test("chunks are framed in hexadecimal")
  func chunks() throws {
    let writer = try #require(self.writer(body: stream))
    #expect(
      writer.part(Array(repeating: 0x61, count: 26)) == Array("1a\r\n\(String(repeating: "a", count: 26))\r\n".utf8))
    #expect(writer.end == Array("0\r\n\r\n".utf8))
  }

  @Test("output goes out in order, in whatever parts it is taken")
  func output() {
    var output = OutputBuffer()
    output.append([0, 1, 2], taken: 1)
    output.append([3, 4])
    output.append([5], taken: 1)
    #expect(output.count == 4)
    var sent: [UInt8] = []
    var parts = [1, 0, 1, 2]
    while !output.isEmpty {
      let isAlive = output.drain { bytes in
        let count = min(bytes.count, parts.isEmpty ? 9 : parts.removeFirst())
        sent += bytes[..<count]
        return count
      }
      #expect(isAlive)
    }
    #expect(sent == [1, 2, 3, 4])
    output.append([6])
    #expect(!output.drain { _ in nil })
  }

  @Test("the server's own answers are JSON whatever their text is")
  func failure() throws {
    let response = ServerResponse.failure(400, message: "a \"b\" \\ \n \u{1} ü")
    guard case .bytes(let bytes) = response.body.storage else {
      Issue.record("a stream")
      return
    }
    #expect(
      String(decoding: bytes, as: UTF8.self) == #"{"code":"400","message":"a \"b\" \\ \n \u0001 ü"}"#)
  }
}

import Testing

@testable import SwiftwaterHTTPServer

struct ChunkedBodyParserTests {
  private func body(_ text: String) throws(HTTPServerError) -> (body: String, rest: String)? {
    var parser = ChunkedBodyParser()
    let buffer = Array(text.utf8)
    var position = 0
    var body: [UInt8] = []
    while true {
      switch try parser.next(in: buffer, at: &position) {
      case .needsBytes: return nil
      case .end: return (String(decoding: body, as: UTF8.self), String(decoding: buffer[position...], as: UTF8.self))
      case .data(let count):
        body += buffer[position..<position + count]
        position += count
      }
    }
  }

  @Test("chunks are joined, extensions and trailers dropped, and nothing behind the end is touched")
  func joins() throws {
    let text = "3;a=b\r\nabc\r\nA \t;q=\"x\"\r\n0123456789\r\n000\r\nX: y\r\nZ:\r\n\r\nGET /"
    let result = try #require(try body(text))
    #expect(result.body == "abc0123456789")
    #expect(result.rest == "GET /")
  }

  @Test("an incomplete body wants more")
  func incomplete() throws {
    let text = "3\r\nabc\r\n0\r\nX: y\r\n\r\n"
    for count in 0..<text.utf8.count {
      #expect(try body(String(decoding: Array(text.utf8.prefix(count)), as: UTF8.self)) == nil)
    }
  }

  @Test("sizes beyond what a counter holds are refused, leading zeros or not")
  func sizes() throws {
    #expect(throws: HTTPServerError.self) { try body("1000000000000000\r\n") }
    #expect(throws: HTTPServerError.self) { try body(String(repeating: "0", count: 16) + "\r\n\r\n") }
    #expect(try body("fffffffffffffff\r\n") == nil)
  }

  @Test("extensions and trailers together stay below their limit")
  func overhead() throws {
    let limit = ChunkedBodyParser.maximumOverhead
    func trailer(_ length: Int) -> String { "0\r\nX:" + String(repeating: "y", count: length - 1) + "\r\n\r\n" }
    #expect(try body(trailer(limit))?.body == "")
    #expect(throws: HTTPServerError.self) { try body(trailer(limit + 1)) }
    let drip = String(repeating: "1;" + String(repeating: "e", count: 64) + "\r\na\r\n", count: limit / 64 + 1)
    #expect(throws: HTTPServerError.self) { try body(drip + "0\r\n\r\n") }
  }
}

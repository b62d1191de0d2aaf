import SwiftwaterCurl
import SwiftwaterHTTP
import Testing

@Suite("Responses")
struct ResponseTests {
  private static let gzipped: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 64, 39, 1, 227, 81, 61, 141, 23, 0, 0, 0,
  ]

  private let transport = makeTransport()

  /// What a request gets from a server that sends these bytes and closes.
  private func exchange(
    _ bytes: [UInt8], method: HTTPRequest.Method = .get, fields: HTTPFields = [:]
  ) async throws -> (HTTPResponse, HTTPBody.Length, [UInt8]) {
    try await withServer { connection in
      try connection.readHead()
      try connection.write(bytes)
    } _: { server in
      let (response, body) = try await transport.send(.to(server, method, fields: fields))
      return (response, body.length, try await body.collect(upTo: 1 << 20))
    }
  }

  private func exchange(
    _ text: String, method: HTTPRequest.Method = .get
  ) async throws -> (HTTPResponse, HTTPBody.Length, [UInt8]) {
    try await exchange(Array(text.utf8), method: method)
  }

  @Test("Status, fields in order, and a body of known length")
  func plain() async throws {
    let (response, length, body) = try await exchange(
      "HTTP/1.1 418 Teapot\r\nB: 1\r\na:2\r\nB:   3 \t\r\nEmpty:\r\nContent-Length: 5\r\n\r\nhello")
    #expect(response.status == 418)
    #expect(
      response.headerFields.map { "\($0.name)=\($0.value)" } == ["B=1", "a=2", "B=3", "Empty=", "Content-Length=5"])
    #expect(length == .known(5))
    #expect(body == Array("hello".utf8))
  }

  @Test("A chunked body and one that ends with the connection have no known length")
  func unknownLength() async throws {
    let chunked = try await exchange(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: late\r\n\r\n"
    )
    #expect(chunked.1 == .unknown)
    #expect(chunked.2 == Array("hello world".utf8))
    #expect(!chunked.0.headerFields.contains { $0.name.rawName == "Trailer" })
    let closed = try await exchange("HTTP/1.0 200 OK\r\n\r\nhello")
    #expect(closed.1 == .unknown)
    #expect(closed.2 == Array("hello".utf8))
  }

  @Test("Provisional responses are skipped with their fields")
  func provisional() async throws {
    let (response, _, body) = try await exchange(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
    #expect(response.status == 201)
    #expect(response.headerFields.map(\.name) == [.contentLength])
    #expect(body == Array("ok".utf8))
  }

  @Test("A response without a body is empty, whatever its length says")
  func bodiless() async throws {
    let head = try await exchange("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", method: .head)
    #expect(head.0.headerFields[.contentLength] == "500")
    #expect(head.1 == .known(0) && head.2.isEmpty)
    for status in [204, 304] {
      let other = try await exchange("HTTP/1.1 \(status) X\r\nA: b\r\n\r\n")
      #expect(other.0.status.code == status)
      #expect(other.1 == .known(0) && other.2.isEmpty)
    }
    let zero = try await exchange("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    #expect(zero.1 == .known(0) && zero.2.isEmpty)
  }

  private static let codings: [(name: String, bytes: [UInt8])] = [
    ("gzip", gzipped), ("deflate", [120, 156, 203, 72, 205, 201, 201, 87, 200, 64, 39, 1, 104, 3, 8, 177]),
    ("deflate", [203, 72, 205, 201, 201, 87, 200, 64, 39, 1]),
    ("br", [27, 22, 0, 248, 141, 148, 110, 222, 68, 85, 134, 150, 108, 32, 111, 33, 79, 28, 224, 56]),
    (
      "zstd",
      [
        40, 181, 47, 253, 36, 23, 101, 0, 0, 48, 104, 101, 108, 108, 111, 32, 1, 0, 153, 75, 17, 23, 94, 174, 13,
      ]
    ),
  ]

  @Test("Every coding that libcurl asks for is undone, and the fields no longer speak of it")
  func decoded() async throws {
    var decoded: Set<String> = []
    for (coding, bytes) in Self.codings {
      try await withServer { connection in
        try connection.readHead()
        try connection.write(
          "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\nA: b\r\n\r\n")
        try connection.write(bytes)
      } _: { server in
        let (response, body) = try await transport.send(.get(server))
        let offer = try #require(
          server.heads.first?.split(separator: "\r\n").first { $0.hasPrefix("Accept-Encoding:") })
        guard offer.contains(coding) else { return }
        #expect(response.headerFields.map(\.name.rawName) == ["A"])
        #expect(body.length == .unknown)
        #expect(try await body.text() == "hello hello hello hello", "\(coding)")
        decoded.insert(coding)
      }
    }
    #expect(decoded.isSuperset(of: ["gzip", "deflate"]), "libcurl is built with zlib")
  }

  @Test("A caller who asks for codings himself gets the body as it came")
  func undecoded() async throws {
    let name = try #require(HTTPField.Name("Accept-Encoding"))
    let (response, length, body) = try await exchange(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(Self.gzipped.count)\r\n\r\n".utf8)
        + Self.gzipped, fields: [name: "gzip"])
    #expect(response.headerFields[.contentEncoding] == "gzip")
    #expect(length == .known(Int64(Self.gzipped.count)))
    #expect(body == Self.gzipped)
  }

  @Test("The head is there before the body, and each part of the body before the next")
  func slowDrip() async throws {
    let next = (0..<3).map { _ in Signal() }
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
      for (index, signal) in next.enumerated() {
        signal.block()
        try connection.write("\(index);")
      }
    } _: { server in
      let (_, body) = try await transport.send(.get(server))
      var iterator = body.makeAsyncIterator()
      for (index, signal) in next.enumerated() {
        signal.give()
        var part: [UInt8] = []
        while part.count < 2, let chunk = try await iterator.next() { part += chunk }
        #expect(part == Array("\(index);".utf8))
      }
      #expect(try await iterator.next() == nil)
    }
  }

  @Test("A large body arrives whole")
  func large() async throws {
    let block = Pattern.block
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(block.count * 20)\r\n\r\n")
      for _ in 0..<20 { try connection.write(block) }
    } _: { server in
      let (_, body) = try await transport.send(.get(server))
      var pattern = Pattern()
      for try await chunk in body { pattern.check(chunk) }
      #expect(pattern.count == block.count * 20)
      #expect(pattern.isIntact)
    }
  }
}

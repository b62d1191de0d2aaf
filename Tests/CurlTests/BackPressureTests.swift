import SwiftwaterCurl
import SwiftwaterHTTP
import TestSupport
import Testing

@Suite("Back-pressure of downloads")
struct BackPressureTests {
  private let transport = makeTransport()

  @Test("A reader that stops reading stops the server, and loses nothing when it goes on")
  func stalledReader() async throws {
    let block = Pattern.block
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(block.count * 32)\r\n\r\n")
      for _ in 0..<32 { try connection.write(block) }
    } _: { server in
      let (_, body) = try await transport.send(.get(server))
      #expect(await eventually { await transport.heldCount() == 1 }, "the transfer is paused")
      var pattern = Pattern()
      for try await chunk in body {
        // What the sockets' buffers and the transport's 256 KiB hold.
        #expect(server.sent - pattern.count < 16_000_000)
        pattern.check(chunk)
      }
      #expect(pattern.count == block.count * 32)
      #expect(pattern.isIntact)
    }
  }

  @Test("While one reader stalls, other requests are answered")
  func others() async throws {
    try await withServer { connection in
      let head = try connection.readHead()
      guard head.hasPrefix("GET /large") else { return try connection.respond(200, "ok") }
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 32000000\r\n\r\n")
      try connection.write([UInt8](repeating: 0, count: 32_000_000))
    } _: { server in
      let (_, stalled) = try await transport.send(.get(server, "/large"))
      for _ in 0..<5 {
        let (_, body) = try await transport.send(.get(server))
        #expect(try await body.text() == "ok")
      }
      #expect(try await stalled.collect(upTo: 32_000_000).count == 32_000_000)
    }
  }
}

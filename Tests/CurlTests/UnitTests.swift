import SwiftwaterHTTP
import Testing

@testable import SwiftwaterCurl

@Suite("Decisions without I/O")
struct UnitTests {
  private func parse(
    _ lines: [String], isHead: Bool = false, decodesContent: Bool = true
  ) throws -> (heads: [ResponseHead], atLine: Int?) {
    var parser = ResponseHeadParser(isHead: isHead, decodesContent: decodesContent)
    var heads: [ResponseHead] = []
    var place: Int?
    for (index, line) in lines.enumerated() {
      let head = try Array((line + "\r\n").utf8).withUnsafeBytes { try parser.take($0) }
      if let head {
        heads.append(head)
        place = index
      }
    }
    return (heads, place)
  }

  @Test("One head comes out, at the empty line of the first final response; trailers do not count")
  func finalHead() throws {
    let result = try parse(["HTTP/1.1 100 Continue", "A: 1", "", "HTTP/2 200", "B: 2", "", "C: 3", ""])
    #expect(result.heads.count == 1)
    #expect(result.atLine == 5)
    #expect(result.heads.first?.response.status == 200)
    #expect(result.heads.first?.response.headerFields.map(\.name.rawName) == ["B"])
  }

  @Test("White space around values goes, folded lines are joined, empty values stay")
  func values() throws {
    let head = try #require(
      try parse(["HTTP/1.1 200 OK", "A:  x y \t", "B:", "C: 1", "c: 2", "\t 3 ", ""]).heads.first)
    #expect(head.response.headerFields.map { "\($0.name)=\($0.value)" } == ["A=x y", "B=", "C=1", "c=2 3"])
    let blank = try #require(try parse(["HTTP/1.1 200 OK", "A: 1", " ", "B: 2", ""]).heads.first)
    #expect(blank.response.headerFields.map(\.name.rawName) == ["A", "B"], "a folded line of blanks ends no head")
  }

  @Test("The body's length: announced, unknown, or no body at all")
  func lengths() throws {
    func length(_ status: Int, _ fields: [String], isHead: Bool = false, decodes: Bool = true) throws -> HTTPBody
      .Length?
    {
      let lines = ["HTTP/1.1 \(status) X"] + fields + [""]
      return try #require(try parse(lines, isHead: isHead, decodesContent: decodes).heads.first).bodyLength
    }
    #expect(try length(200, ["Content-Length: 7"]) == .known(7))
    #expect(try length(200, []) == .unknown)
    #expect(try length(200, ["Content-Length: 7", "Transfer-Encoding: chunked"]) == .unknown)
    #expect(try length(200, ["Content-Length: 7", "Content-Encoding: gzip"]) == .unknown)
    #expect(try length(200, ["Content-Length: 7", "Content-Encoding: gzip"], decodes: false) == .known(7))
    #expect(try length(200, ["Content-Length: 7", "Content-Encoding: identity"]) == .known(7))
    #expect(try length(200, ["Content-Length: 7"], isHead: true) == nil)
    #expect(try length(204, []) == nil)
    #expect(try length(304, ["Content-Length: 7"]) == nil)
  }

  @Test("Bytes come out of the queue in order, whatever the sizes")
  func byteQueue() {
    var generator = SystemRandomNumberGenerator()
    var queue = ByteQueue()
    var next: UInt8 = 0
    var expected: UInt8 = 0
    for _ in 0..<2000 {
      let chunk = (0..<Int.random(in: 1...50, using: &generator)).map { _ -> UInt8 in
        next &+= 1
        return next
      }
      queue.append(chunk)
      var buffer = [UInt8](repeating: 0, count: Int.random(in: 0...60, using: &generator))
      let count = buffer.withUnsafeMutableBytes { queue.take(into: $0) }
      for byte in buffer[..<count] {
        expected &+= 1
        #expect(byte == expected)
      }
    }
    #expect(UInt8(truncatingIfNeeded: queue.count) == next &- expected)
  }

  @Test("The idle time counts from the connection on, from the last byte, and not while we are the slow side")
  func idleTimer() {
    let start = ContinuousClock.now
    func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }
    var timer = IdleTimer(timeout: .seconds(10))
    #expect(timer.deadline(at: at(100)) == at(110))
    timer.noteStart(at: at(100))
    #expect(timer.deadline(at: at(105)) == at(110))
    timer.noteStart(at: at(105))
    #expect(timer.deadline(at: at(105)) == at(110))
    timer.noteActivity(at: at(108))
    #expect(timer.deadline(at: at(109)) == at(118))
    timer.isHeld = true
    #expect(timer.deadline(at: at(200)) == at(210))
    #expect(IdleTimer(timeout: nil).deadline(at: at(0)) == nil)
  }

  @Test("Milliseconds are rounded up and stay in libcurl's range")
  func milliseconds() {
    #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
    #expect(Duration.nanoseconds(1_000_001).wholeMilliseconds == 2)
    #expect(Duration.zero.wholeMilliseconds == 1)
    #expect(Duration.seconds(-5).wholeMilliseconds == 1)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == Int(Int32.max))
  }

  @Test("Of two who wait for one chunk, the second fails")
  func twoReaders() async throws {
    let channel = ResponseChannel()
    await #expect(throws: HTTPError.self) {
      try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
        for _ in 0..<2 {
          group.addTask {
            try await withCheckedThrowingContinuation { channel.awaitChunk($0).chunk?.resume() }
          }
        }
        // The one who fails; then the other is released.
        defer { channel.finish(.success(())).1.chunk?.resume() }
        _ = try await group.next()
      }
    }
  }
}

import Testing

@testable import SwiftwaterSockets

/// Every rule of RFC 6455 §5, each with what breaks it, for both roles and split everywhere.
@Suite("Rules of frames")
struct FrameRuleTests {
  struct Violation: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var role = WebSocketRole.client
    var isCompressed = false
    var code: UInt16 = 1002
    var testDescription: String { name }
  }

  private static let violations: [Violation] =
    [
      ("reserved bit 1 without an extension", RawFrame(1, [], reserved: 4)),
      ("reserved bit 2", RawFrame(1, [], reserved: 2)),
      ("reserved bit 3", RawFrame(2, [], reserved: 1)),
      ("reserved bits of a control frame", RawFrame(9, [], reserved: 7)),
      ("a continuation of nothing", RawFrame(0, "x")),
      ("an unfinished continuation of nothing", RawFrame(0, "x", isFinal: false)),
      ("a fragmented ping", RawFrame(9, [], isFinal: false)),
      ("a fragmented pong", RawFrame(10, [], isFinal: false)),
      ("a fragmented close", RawFrame(8, [], isFinal: false)),
      ("a ping of 126 bytes", RawFrame(9, [UInt8](repeating: 0, count: 126))),
      ("a pong of 126 bytes", RawFrame(10, [UInt8](repeating: 0, count: 126))),
      ("a close of 126 bytes", RawFrame(8, [3, 232] + [UInt8](repeating: 65, count: 124))),
      ("125 bytes with a length of 16 bits", RawFrame(2, [UInt8](repeating: 0, count: 125), lengthBits: 16)),
      ("125 bytes with a length of 64 bits", RawFrame(2, [UInt8](repeating: 0, count: 125), lengthBits: 64)),
      ("65535 bytes with a length of 64 bits", RawFrame(2, [UInt8](repeating: 0, count: 65_535), lengthBits: 64)),
      ("a close with half a code", RawFrame(8, [3])),
    ].map { Violation(name: $0.0, bytes: $0.1.bytes) }
    + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map {
      Violation(name: "opcode \($0)", bytes: RawFrame($0, []).bytes)
    }
    + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map { (code: Int) in
      Violation(name: "close code \(code)", bytes: RawFrame(8, [UInt8(code >> 8), UInt8(code & 255)]).bytes)
    }
    + [
      Violation(name: "a length with the highest bit", bytes: [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      Violation(name: "a masked frame of a server", bytes: RawFrame(1, "x").masked().bytes),
      Violation(name: "an unmasked frame of a client", bytes: RawFrame(1, "x").bytes, role: .server),
      Violation(name: "a message within a message", bytes: RawFrame(1, "x", isFinal: false).bytes + RawFrame(2).bytes),
      Violation(
        name: "a continuation after the end", bytes: RawFrame(1, "x").bytes + RawFrame(0, "y").bytes),
      Violation(
        name: "a compressed continuation",
        bytes: RawFrame(1, [], isFinal: false).bytes + RawFrame(0, [], reserved: 4).bytes, isCompressed: true),
      Violation(name: "a compressed ping", bytes: RawFrame(9, [], reserved: 4).bytes, isCompressed: true),
      Violation(
        name: "a damaged compressed message", bytes: RawFrame(2, [7, 255], reserved: 4).bytes, isCompressed: true),
      Violation(name: "a close reason that is not UTF-8", bytes: RawFrame(8, [3, 232, 0xFF]).bytes, code: 1007),
    ]

  @Test("What breaks a rule ends the connection with its code, however it is split", arguments: violations)
  func violation(_ violation: Violation) {
    for partSize in violation.bytes.count > 1000 ? [100, .max] : [1, 2, 3, 5, .max] {
      var bench = SessionBench(violation.role, compression: violation.isCompressed ? DeflateParameters() : nil)
      bench.receive(violation.bytes, partSize: partSize)
      _ = bench.messages()
      bench.ask()
      let close = SentFrame.close(violation.code)
      #expect(bench.sent() == [close], "in parts of \(partSize)")
      #expect(bench.end == (violation.code == 1007 ? "invalidText" : "protocolViolation"))
    }
  }

  @Test(
    "Codes that may be in a Close frame are taken and echoed",
    arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
      as [UInt16])
  func closeCodes(_ code: UInt16) {
    var bench = SessionBench(.client)
    bench.receive(RawFrame(8, [UInt8(code >> 8), UInt8(code & 255)] + Array("bye ☃".utf8)))
    bench.ask()
    #expect(bench.sent() == [.close(code)])
    #expect(bench.end == "clean")
    #expect(bench.session.peerCode?.rawValue == code)
    #expect(bench.session.peerReason == "bye ☃")
  }

  @Test("A Close without a code is answered without one, and reported as 1005")
  func emptyClose() {
    var bench = SessionBench(.server)
    bench.receive(RawFrame(8))
    bench.ask()
    #expect(bench.sent() == [.close(nil)])
    #expect(bench.session.peerCode == .noStatusReceived)
  }

  @Test("Lengths at the borders of each form arrive whole", arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_001])
  func lengths(_ count: Int) {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for role in [WebSocketRole.client, .server] {
      var bench = SessionBench(role)
      bench.receive(RawFrame(2, payload), RawFrame(1, [UInt8](repeating: 0x61, count: count)))
      #expect(bench.messages() == [.binary(payload), .text(String(repeating: "a", count: count))])
    }
  }

  @Test("A stream of frames gives the same messages at every split point")
  func everySplit() {
    let frames: [RawFrame] = [
      RawFrame(1, "Hä", isFinal: false), RawFrame(9, "one"), RawFrame(0, "llo ", isFinal: false),
      RawFrame(0, [], isFinal: false), RawFrame(10, "unasked"), RawFrame(0, "wörld ☃"), RawFrame(2, [0, 1, 2, 3, 4]),
      RawFrame(1, ""), RawFrame(9, "two"), RawFrame(2, [UInt8](repeating: 9, count: 130)), RawFrame(8, [3, 233]),
    ]
    let expected: [WebSocketMessage] = [
      .text("Hällo wörld ☃"), .binary([0, 1, 2, 3, 4]), .text(""), .binary([UInt8](repeating: 9, count: 130)),
    ]
    for role in [WebSocketRole.client, .server] {
      let bytes = frames.flatMap { role == .server ? $0.masked().bytes : $0.bytes }
      for split in 0...bytes.count {
        var bench = SessionBench(role)
        bench.receive(Array(bytes[..<split]))
        bench.receive(Array(bytes[split...]))
        #expect(bench.messages() == expected, "split at \(split)")
        bench.ask()
        #expect(bench.sent() == [.pong("one"), .pong("two"), .close(1001)], "split at \(split)")
      }
      for partSize in 1...20 {
        var bench = SessionBench(role)
        bench.receive(bytes, partSize: partSize)
        #expect(bench.messages() == expected, "in parts of \(partSize)")
      }
    }
  }

  @Test("The frames of RFC 6455 §5.7 are read and written as printed there")
  func examples() {
    var client = SessionBench(.client)
    client.receive([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    client.receive([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F])
    #expect(client.messages() == [.text("Hello"), .text("Hello")])
    var server = SessionBench(.server)
    server.receive([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    server.receive([0x89, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    #expect(server.messages() == [.text("Hello")])
    #expect(server.session.output.count == 7)
    #expect(server.session.takeOutput() == [0x8A, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
  }

  @Test("A client masks every frame with a key of its own, a server none")
  func masks() throws {
    var client = SessionBench(.client)
    for _ in 0..<200 { client.send("same") }
    let output = client.session.takeOutput()
    let bytes = try #require(output)
    let keys = stride(from: 0, to: bytes.count, by: 10).map { Array(bytes[$0 + 2..<$0 + 6]) }
    #expect(Set(keys).count > 190)
    #expect(!keys.contains([0, 0, 0, 0]))
    #expect(SentFrame.all(in: bytes).allSatisfy { $0 == .text("same") })
    var server = SessionBench(.server)
    server.send("same")
    #expect(server.session.takeOutput() == [0x81, 4] + Array("same".utf8))
  }

  @Test("Masking is the same whatever the length and the place it begins at")
  func masking() {
    let key: UInt32 = 0x3D21_FA37
    let plain = (0..<64).map { UInt8($0) }
    let bytes: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    for start in 0..<9 {
      for end in start...plain.count {
        let part = Array(plain[start..<end])
        let expected = part.enumerated().map { $0.element ^ bytes[($0.offset + start) % 4] }
        let rotated = WebSocketMask.advance(key, by: start)
        var copy = [UInt8](repeating: 0, count: part.count)
        copy.withUnsafeMutableBytes { target in
          part.withUnsafeBytes { if let base = target.baseAddress { WebSocketMask.copy($0, to: base, key: rotated) } }
        }
        #expect(copy == expected)
        var inPlace = part
        inPlace.withUnsafeMutableBytes { WebSocketMask.apply(rotated, to: $0) }
        #expect(inPlace == expected)
      }
    }
  }
}

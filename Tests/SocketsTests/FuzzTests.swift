import SwiftwaterHTTP
import Testing

@testable import SwiftwaterSockets

/// What a session makes of bytes depends on the bytes alone, and nothing traps.
@Suite("Random bytes")
struct FuzzTests {
  private struct Outcome: Equatable {
    var messages: [WebSocketMessage]
    var sent: [SentFrame]
    var end: String?
  }

  private func outcome(
    _ bytes: [UInt8], _ role: WebSocketRole, _ compression: DeflateParameters?, split: (inout SeededGenerator) -> Int,
    _ generator: inout SeededGenerator
  ) -> Outcome {
    var configuration = WebSocketConfiguration()
    configuration.maximumMessageBytes = 5_000
    configuration.maximumFrameBytes = 4_000
    var bench = SessionBench(role, compression: compression, configuration: configuration)
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(max(1, split(&generator)))
      rest = rest.dropFirst(part.count)
      bench.receive(Array(part))
    }
    let messages = bench.messages()
    bench.ask()
    return Outcome(messages: messages, sent: bench.sent(), end: bench.end)
  }

  /// Frames that are mostly right, some damaged.
  private func bytes(_ role: WebSocketRole, _ generator: inout SeededGenerator) -> [UInt8] {
    let deflater = MessageDeflater(takesContextOver: false, windowBits: 15)
    var bytes: [UInt8] = []
    var isInside = false
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      let length = [0, 1, 3, 125, 126, 300, 2_000].randomElement(using: &generator) ?? 0
      var payload = (0..<length).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
      var opcode: UInt8 = isInside ? 0 : [1, 2].randomElement(using: &generator) ?? 1
      var isFinal = Bool.random(using: &generator)
      var reserved: UInt8 = 0
      if Int.random(in: 0..<4, using: &generator) == 0 {
        opcode = [9, 10].randomElement(using: &generator) ?? 9
        isFinal = true
        payload = Array(payload.prefix(125))
      } else {
        if !isInside, isFinal, Bool.random(using: &generator) {
          payload = payload.withUnsafeBytes { deflater.deflate($0) } ?? []
          reserved = 4
        }
        isInside = !isFinal
      }
      var frame = RawFrame(opcode, payload, isFinal: isFinal, reserved: reserved)
      if role == .server { frame = frame.masked() }
      bytes += frame.bytes
    }
    if Bool.random(using: &generator) {
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
    }
    return bytes
  }

  @Test("Right and damaged frames come to the same in whatever parts they arrive", arguments: 0..<8)
  func frames(_ seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var endings: Set<String?> = []
    for _ in 0..<40 {
      let role: WebSocketRole = Bool.random(using: &generator) ? .server : .client
      let compression = Bool.random(using: &generator) ? DeflateParameters() : nil
      let bytes = bytes(role, &generator)
      let whole = outcome(bytes, role, compression, split: { _ in .max }, &generator)
      let single = outcome(bytes, role, compression, split: { _ in 1 }, &generator)
      let parts = outcome(bytes, role, compression, split: { Int.random(in: 1...200, using: &$0) }, &generator)
      #expect(whole == single && whole == parts)
      endings.insert(whole.end)
    }
    // Both fates have been seen.
    #expect(endings.contains(nil) && endings.contains("protocolViolation"))
  }

  @Test("Noise never traps, neither as frames, nor as a handshake, nor as a list of extensions")
  func noise() {
    var generator = SeededGenerator(seed: 99)
    for _ in 0..<800 {
      let bytes = (0..<Int.random(in: 1...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let whole = outcome(bytes, .server, DeflateParameters(), split: { _ in .max }, &generator)
      let single = outcome(bytes, .server, DeflateParameters(), split: { _ in 1 }, &generator)
      #expect(whole == single)
      var parser = WebSocketResponseParser()
      let head = Array("HTTP/1.1 101 x\r\n".utf8) + bytes + Array("\r\n\r\n".utf8)
      _ = try? head.withUnsafeBytes { try parser.take($0) }
      _ = WebSocketExtension.list(in: [.secWebSocketExtensions: String(decoding: bytes, as: UTF8.self)])
      _ = WebSocketKey(String(decoding: bytes, as: UTF8.self))
    }
  }
}

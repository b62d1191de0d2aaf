import Testing

@testable import SwiftwaterSockets

@Suite("Texts are UTF-8")
struct UTF8Tests {
  private static let valid: [[UInt8]] = [
    [], Array("hello".utf8), Array("κόσμε".utf8), Array("a£€😀".utf8), [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF],
    [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xEF, 0xBF, 0xBF],
    [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0xBF, 0xBE],
    Array("12345678é12345678".utf8), [0xEF, 0xBB, 0xBF, 0x61],
  ]

  private static let invalid: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
    [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xF0, 0x80, 0x80, 0x80],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
    [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0xFF],
    [0xF0, 0x9F, 0x98], [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xED, 0xA0, 0x80, 0x65],
  ]

  /// The verdict on bytes in parts.
  private func accepts(_ bytes: [UInt8], split: Int) -> Bool {
    var validator = UTF8Validator()
    let parts = [bytes[..<split], bytes[split...]]
    return parts.allSatisfy { part in part.withUnsafeBytes { validator.accepts($0) } } && validator.isComplete
  }

  @Test("What is UTF-8 is taken, wherever it is split", arguments: valid)
  func taken(_ bytes: [UInt8]) {
    for split in 0...bytes.count { #expect(accepts(bytes, split: split)) }
    for frames in [[RawFrame(1, bytes)], [RawFrame(1, bytes, isFinal: false), RawFrame(0)]] {
      var bench = SessionBench(.client)
      bench.receive(frames.flatMap(\.bytes))
      #expect(bench.messages() == [.text(String(decoding: bytes, as: UTF8.self))])
    }
  }

  @Test("What is not UTF-8 is refused with code 1007, wherever it is split", arguments: invalid)
  func refused(_ bytes: [UInt8]) {
    for split in 0...bytes.count {
      #expect(!accepts(bytes, split: split))
      var bench = SessionBench(.server)
      bench.receive(
        RawFrame(1, Array(bytes[..<split]), isFinal: false), RawFrame(9), RawFrame(0, Array(bytes[split...])))
      bench.ask()
      #expect(bench.end == "invalidText")
      #expect(bench.sent().last == .close(1007))
    }
    var bench = SessionBench(.client)
    bench.receive(RawFrame(1, bytes))
    bench.ask()
    #expect(bench.end == "invalidText")
    #expect(bench.messages().isEmpty)
  }

  @Test("The verdict agrees with the standard library's on random bytes")
  func random() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...12, using: &generator)
      let interesting: [UInt8] = [0x41, 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0x9F, 0xEF, 0xF0, 0x90, 0xF4, 0x8F, 0xFF]
      let bytes = (0..<count).map { _ in interesting.randomElement(using: &generator) ?? 0 }
      let expected = String(validating: bytes, as: UTF8.self) != nil
      #expect(accepts(bytes, split: Int.random(in: 0...count, using: &generator)) == expected, "\(bytes)")
    }
  }

  @Test("A wrong byte ends the connection in the middle of a frame that has not ended")
  func failsFast() {
    var bench = SessionBench(.client)
    // Announces 100 bytes; the 10th is wrong.
    bench.receive([0x81, 100] + Array("123456789".utf8) + [0xFF])
    bench.ask()
    #expect(bench.end == "invalidText")
    #expect(bench.sent() == [.close(1007)])
  }

  @Test("Bytes that are not UTF-8 are no concern of binary messages")
  func binary() {
    var bench = SessionBench(.client)
    bench.receive(RawFrame(2, [0xFF], isFinal: false), RawFrame(0, [0xFE]))
    #expect(bench.messages() == [.binary([0xFF, 0xFE])])
  }
}

/// A generator that repeats itself: a failing case can be run again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

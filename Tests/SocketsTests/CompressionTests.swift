import SwiftwaterHTTP
import Testing

@testable import SwiftwaterSockets

@Suite("Compression")
struct CompressionTests {
  typealias Settings = WebSocketConfiguration.Compression

  // MARK: - Negotiation

  struct Offer: Sendable, CustomTestStringConvertible {
    var header: String
    var settings = Settings()
    /// Nil when the server declines.
    var answer: String?
    var testDescription: String { header }
  }

  @Test(
    "A server answers offers as RFC 7692 §7.1 asks",
    arguments: [
      Offer(header: "permessage-deflate", answer: "permessage-deflate"),
      Offer(header: "Permessage-Deflate ; client_max_window_bits", answer: "permessage-deflate"),
      Offer(
        header: "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
        answer: "permessage-deflate; server_no_context_takeover; client_no_context_takeover"),
      Offer(
        header: "permessage-deflate; server_max_window_bits=10; client_max_window_bits=\"12\"",
        answer: "permessage-deflate; server_max_window_bits=10; client_max_window_bits=12"),
      Offer(
        header: "permessage-deflate; server_max_window_bits=8", answer: "permessage-deflate; server_max_window_bits=8"),
      Offer(
        header: "permessage-deflate; client_max_window_bits", settings: Settings(windowBits: 11),
        answer: "permessage-deflate; server_max_window_bits=11; client_max_window_bits=11"),
      Offer(
        header: "permessage-deflate", settings: Settings(windowBits: 11),
        answer: "permessage-deflate; server_max_window_bits=11"),
      Offer(
        header: "permessage-deflate", settings: Settings(allowsContextTakeover: false),
        answer: "permessage-deflate; server_no_context_takeover; client_no_context_takeover"),
      Offer(
        header: "x-webkit-deflate-frame, permessage-deflate; what=1, permessage-deflate", answer: "permessage-deflate"),
      Offer(header: "permessage-bzip2"),
      Offer(header: "permessage-deflate; unknown"),
      Offer(header: "permessage-deflate; server_no_context_takeover=1"),
      Offer(header: "permessage-deflate; server_max_window_bits"),
      Offer(header: "permessage-deflate; server_max_window_bits=7"),
      Offer(header: "permessage-deflate; server_max_window_bits=16"),
      Offer(header: "permessage-deflate; server_max_window_bits=010"),
      Offer(header: "permessage-deflate; client_max_window_bits=x"),
      Offer(header: "permessage-deflate; client_no_context_takeover; client_no_context_takeover"),
    ])
  func serverAnswers(_ offer: Offer) throws {
    let extensions = try #require(WebSocketExtension.list(in: [.secWebSocketExtensions: offer.header]))
    #expect(DeflateParameters.accept(extensions, offer.settings)?.answer == offer.answer)
  }

  @Test(
    "Malformed extension fields are noticed",
    arguments: ["a;", "a; b=", "a; =1", "a b", "a; b=\"", "a; b=\"x y\"", "a; b=\"\"", "\"a\""])
  func malformed(_ header: String) {
    #expect(WebSocketExtension.list(in: [.secWebSocketExtensions: header]) == nil)
  }

  @Test("A client offers what it is configured to")
  func clientOffers() {
    #expect(DeflateParameters.offer(Settings()) == "permessage-deflate; client_max_window_bits")
    #expect(
      DeflateParameters.offer(Settings(allowsContextTakeover: false, windowBits: 10))
        == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; "
        + "client_max_window_bits=10")
  }

  @Test("A client takes only answers that fit its offer")
  func clientChecks() throws {
    func agreement(_ header: String, _ settings: Settings = Settings()) throws -> DeflateParameters? {
      let answer = try #require(WebSocketExtension.list(in: [.secWebSocketExtensions: header])?.first)
      return DeflateParameters.agreement(offered: settings, answer: answer)
    }
    let plain = try agreement("permessage-deflate")
    #expect(plain == DeflateParameters())
    let narrow = try agreement(
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9; "
        + "client_max_window_bits=8")
    #expect(
      narrow
        == DeflateParameters(
          serverTakesContextOver: false, clientTakesContextOver: false, serverWindowBits: 9, clientWindowBits: 8))
    #expect(try agreement("permessage-deflate; client_max_window_bits") == nil)
    #expect(try agreement("permessage-deflate; server_max_window_bits") == nil)
    #expect(try agreement("permessage-deflate; unknown") == nil)
    #expect(try agreement("x-other") == nil)
    #expect(try agreement("permessage-deflate", Settings(allowsContextTakeover: false)) == nil)
    #expect(try agreement("permessage-deflate; server_max_window_bits=12", Settings(windowBits: 10)) == nil)
    #expect(try agreement("permessage-deflate", Settings(windowBits: 10)) == nil)
    let own = try agreement("permessage-deflate; server_max_window_bits=10", Settings(windowBits: 10))
    #expect(own?.clientWindowBits == 10)
  }

  // MARK: - The format

  @Test("The messages of RFC 7692 §7.2.3 are read")
  func examples() {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    var bench = SessionBench(.client, compression: DeflateParameters())
    bench.receive(RawFrame(1, hello, reserved: 4))
    // In fragments, with a shared window, without compression (a stored block), with a final block, in two blocks.
    bench.receive(RawFrame(1, Array(hello[..<3]), isFinal: false, reserved: 4), RawFrame(0, Array(hello[3...])))
    bench.receive(RawFrame(1, [0xF2, 0x00, 0x11, 0x00, 0x00], reserved: 4))
    bench.receive(RawFrame(1, [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], reserved: 4))
    bench.receive(RawFrame(1, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], reserved: 4))
    bench.receive(
      RawFrame(1, [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], reserved: 4))
    #expect(bench.messages() == [WebSocketMessage](repeating: .text("Hello"), count: 6))
    #expect(bench.end == nil)
  }

  @Test("An empty message is one byte, and uncompressed ones may stand between compressed ones")
  func mixed() {
    let deflater = MessageDeflater(takesContextOver: true, windowBits: 15)
    #expect(compress("", deflater) == [0])
    var bench = SessionBench(.server, compression: DeflateParameters())
    bench.receive(
      RawFrame(1, compress("", deflater), reserved: 4), RawFrame(1, "plain"),
      RawFrame(1, compress("deflated", deflater), reserved: 4), RawFrame(1, [], isFinal: false, reserved: 4),
      RawFrame(0, compress("", deflater)))
    #expect(bench.messages() == [.text(""), .text("plain"), .text("deflated"), .text("")])
  }

  private func compress(_ text: String, _ deflater: MessageDeflater) -> [UInt8] {
    Array(text.utf8).withUnsafeBytes { deflater.deflate($0) } ?? []
  }

  @Test("Messages that refer to earlier ones are shorter; without that, each is the same")
  func takeover() {
    let text = "a text that repeats itself in every message, word by word"
    let keeping = MessageDeflater(takesContextOver: true, windowBits: 15)
    let first = compress(text, keeping)
    #expect(compress(text, keeping).count < first.count / 4)
    #expect(keeping.isResident)
    let forgetting = MessageDeflater(takesContextOver: false, windowBits: 15)
    #expect(compress(text, forgetting) == first)
    #expect(!forgetting.isResident)
    #expect(compress(text, forgetting) == first)
  }

  @Test("Releasing the state of either side in between is not noticed by the other", arguments: 9...15)
  func compaction(_ windowBits: Int) {
    var generator = SeededGenerator(seed: UInt64(windowBits))
    let deflater = MessageDeflater(takesContextOver: true, windowBits: windowBits)
    let inflater = MessageInflater(takesContextOver: true, windowBits: windowBits)
    for round in 0..<60 {
      let words = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
        ["alpha", "beta", "gamma", "delta"].randomElement(using: &generator) ?? ""
      }
      let text = words.joined(separator: " ")
      let compressed = compress(text, deflater)
      var output: [UInt8] = []
      #expect(throws: Never.self) {
        try compressed.withUnsafeBytes { try inflater.inflate($0, isLast: true) { output += $0 } }
      }
      #expect(String(decoding: output, as: UTF8.self) == text)
      if round % 3 == 1 { deflater.release() }
      if round % 4 == 2 {
        inflater.compact()
        #expect(inflater.residentBytes <= 1 << windowBits)
      }
    }
  }

  @Test("A window of 2^8 is respected by a sender whose zlib has none")
  func smallestWindow() {
    var generator = SeededGenerator(seed: 8)
    let deflater = MessageDeflater(takesContextOver: true, windowBits: 8)
    let inflater = MessageInflater(takesContextOver: true, windowBits: 8)
    let block = (0..<300).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for _ in 0..<20 {
      let compressed = (block + block + block).withUnsafeBytes { deflater.deflate($0) } ?? []
      var output: [UInt8] = []
      #expect(throws: Never.self) {
        try compressed.withUnsafeBytes { try inflater.inflate($0, isLast: true) { output += $0 } }
      }
      #expect(output == block + block + block)
    }
  }

  @Test("A bomb is stopped at maximumMessageBytes, while it is unpacked")
  func bomb() {
    let deflater = MessageDeflater(takesContextOver: false, windowBits: 15)
    let bomb = [UInt8](repeating: 0, count: 50_000_000).withUnsafeBytes { deflater.deflate($0) } ?? []
    #expect(bomb.count < 60_000)
    var configuration = WebSocketConfiguration()
    configuration.maximumMessageBytes = 1_000_000
    var bench = SessionBench(.server, compression: DeflateParameters(), configuration: configuration)
    bench.receive(RawFrame(2, bomb, reserved: 4))
    bench.ask()
    #expect(bench.end == "messageTooBig")
    #expect(bench.sent() == [.close(1009)])
  }

  @Test("A wrong byte of a compressed text ends the connection before the message has ended")
  func failsFast() {
    let deflater = MessageDeflater(takesContextOver: false, windowBits: 15)
    let bytes = ([UInt8](repeating: 0x61, count: 100) + [0xFF]).withUnsafeBytes { deflater.deflate($0) } ?? []
    var bench = SessionBench(.client, compression: DeflateParameters())
    bench.receive(RawFrame(1, bytes, isFinal: false, reserved: 4))
    bench.ask()
    #expect(bench.end == "invalidText")
  }

  @Test("An idle session keeps no more of zlib than the history")
  func idleMemory() {
    let deflater = MessageDeflater(takesContextOver: true, windowBits: 15)
    let inflater = MessageInflater(takesContextOver: true, windowBits: 15)
    #expect(inflater.residentBytes == 0)
    let compressed = compress("short", deflater)
    var output: [UInt8] = []
    #expect(throws: Never.self) {
      try compressed.withUnsafeBytes { try inflater.inflate($0, isLast: true) { output += $0 } }
    }
    #expect(inflater.residentBytes > 10_000)
    inflater.compact()
    #expect(inflater.residentBytes == 5)
    let forgetting = MessageInflater(takesContextOver: false, windowBits: 15)
    let again = compress("short", MessageDeflater(takesContextOver: false, windowBits: 15))
    #expect(throws: Never.self) {
      try again.withUnsafeBytes { try forgetting.inflate($0, isLast: true) { output += $0 } }
    }
    #expect(forgetting.residentBytes == 0)
  }
}

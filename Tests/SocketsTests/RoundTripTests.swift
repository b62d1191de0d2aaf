import SwiftwaterStreams
import Testing

@testable import SwiftwaterSockets

@Suite("Round trips")
struct RoundTripTests {
  struct Agreement: Sendable, CustomTestStringConvertible {
    var parameters: DeflateParameters?
    var threshold = 0
    var testDescription: String { parameters.map { "\($0)" } ?? "no compression" }
  }

  private static let agreements: [Agreement] =
    [Agreement(parameters: nil)]
    + [true, false].flatMap { server in
      [true, false].flatMap { client in
        [(8, 15), (9, 9), (12, 10), (15, 15)].map { bits in
          Agreement(
            parameters: DeflateParameters(
              serverTakesContextOver: server, clientTakesContextOver: client, serverWindowBits: bits.0,
              clientWindowBits: bits.1), threshold: 40)
        }
      }
    }

  private static func messages(
    _ generator: inout SeededGenerator, count: Int, largest: Int
  ) -> [WebSocketMessage] {
    let words = ["water", "swift", "ß", "😀", "schema_public", "null", "[1,2,3]", "κόσμε"]
    return (0..<count).map { _ in
      let lengths = [0, 1, 5, 20, 125, 126, 300, 300, 5_000, 70_000].filter { $0 <= largest }
      let length = lengths.randomElement(using: &generator) ?? 0
      if Bool.random(using: &generator) {
        var text = ""
        while text.utf8.count < min(length, 2_000) { text += words.randomElement(using: &generator) ?? "" }
        return .text(length > 5_000 ? String(repeating: text, count: 35) : text)
      }
      // Some that compress well and some that do not.
      let period = Bool.random(using: &generator) ? 251 : 7
      let pattern = (0..<period).map { _ in UInt8.random(in: 0...255, using: &generator) }
      return .binary(Array([[UInt8]](repeating: pattern, count: length / period + 1).joined().prefix(length)))
    }
  }

  @Test("Every message comes back as it was sent, in order, whatever was agreed on", arguments: agreements)
  func echoes(_ agreement: Agreement) async throws {
    var configuration = WebSocketConfiguration()
    configuration.compression = .init(threshold: agreement.threshold)
    configuration.sendBufferBytes = 100_000
    configuration.receiveBufferBytes = 100_000
    for partSize in [Int.max, 1_000, 7] {
      var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: partSize))
      let messages = Self.messages(&generator, count: 40, largest: partSize == 7 ? 300 : 70_000)
      let wire = MemoryWire(
        agreement: WebSocketAgreement(compression: agreement.parameters), client: configuration,
        largestPart: partSize)
      defer { wire.tearDown() }
      let (client, server) = (wire.client.makeConnection(), wire.server.makeConnection())
      async let echoing: Void = { for try await message in server.messages { try await server.send(message) } }()
      async let sending: Void = { for message in messages { try await client.send(message) } }()
      for message in messages {
        let echo = try await client.receive()
        #expect(echo == message)
      }
      try await sending
      await client.close()
      try await echoing
      #expect(server.closeCode == .normalClosure)
    }
  }

  @Test("Compressed bytes are fewer, and what is under the threshold goes as it is")
  func size() async throws {
    var configuration = WebSocketConfiguration()
    configuration.compression = .init(threshold: 100)
    let wire = MemoryWire(
      agreement: WebSocketAgreement(compression: DeflateParameters()), client: configuration)
    defer { wire.tearDown() }
    let (client, server) = (wire.client.makeConnection(), wire.server.makeConnection())
    try await client.send(String(repeating: "a", count: 99))
    #expect(wire.deliveredBytes(to: .server) == 99 + 6)
    try await client.send(String(repeating: "a", count: 10_000))
    #expect(wire.deliveredBytes(to: .server) < 99 + 6 + 100)
    #expect(try await server.receive() == .text(String(repeating: "a", count: 99)))
    #expect(try await server.receive() == .text(String(repeating: "a", count: 10_000)))
  }

  @Test("Many tasks may send at once; every message arrives once and whole")
  func manySenders() async throws {
    for compression in [nil, DeflateParameters()] {
      var configuration = WebSocketConfiguration()
      configuration.compression = .init(threshold: 0)
      configuration.sendBufferBytes = 1_000
      let wire = MemoryWire(agreement: WebSocketAgreement(compression: compression), client: configuration)
      defer { wire.tearDown() }
      let (client, server) = (wire.client.makeConnection(), wire.server.makeConnection())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<20 {
          group.addTask { for index in 0..<50 { try await client.send("\(task):\(index)") } }
        }
        var next = [Int](repeating: 0, count: 20)
        for _ in 0..<1_000 {
          guard case .text(let text) = try await server.receive() else {
            Issue.record("no text")
            return
          }
          let numbers = text.split(separator: ":").compactMap { Int($0) }
          // Each task's messages keep their order.
          #expect(numbers.count == 2 && next[numbers[0]] == numbers[1])
          next[numbers[0]] += 1
        }
        try await group.waitForAll()
      }
    }
  }
}

import SwiftwaterHTTP
import Testing

@testable import SwiftwaterHTTPServer

struct BodyChannelTests {
  @Test("chunks come out in order, then the end")
  func order() async throws {
    let channel = BodyChannel { _ in }
    let large = [UInt8](repeating: 9, count: 5000)
    #expect(!channel.push([1]).isFull)
    #expect(!channel.push(large).isFull)
    channel.finish()?.perform()
    #expect(try await channel.next() == [1])
    #expect(try await channel.next() == large)
    #expect(try await channel.next() == nil)
    #expect(try await channel.next() == nil)
  }

  @Test("small chunks are joined, so that single bytes do not cost an array each")
  func joins() async throws {
    let channel = BodyChannel { _ in }
    for byte in 0..<10_000 { _ = channel.push([UInt8(truncatingIfNeeded: byte)]) }
    channel.finish()?.perform()
    var chunks: [[UInt8]] = []
    while let chunk = try await channel.next() { chunks.append(chunk) }
    #expect(chunks.count == 3)
    #expect(chunks.joined().elementsEqual((0..<10_000).map { UInt8(truncatingIfNeeded: $0) }))
  }

  @Test("a full channel says so and asks again once it has drained to half")
  func backPressure() async throws {
    func chunk(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count << 12) }
    let demands = Counter()
    let channel = BodyChannel(capacity: 4 << 12) { _ in demands.add() }
    #expect(!channel.push(chunk(2)).isFull)
    #expect(channel.push(chunk(1)).isFull == false)
    #expect(channel.push(chunk(1)).isFull)
    #expect(try await channel.next() == chunk(2))
    #expect(demands.value == 1)
    #expect(try await channel.next() == chunk(1))
    #expect(demands.value == 1)
    #expect(channel.count == 1 << 12)
  }

  @Test("a waiting reader gets the chunk, and the first wait is a demand")
  func waits() async throws {
    let demanded = Signal()
    let channel = BodyChannel { _ in demanded.fire() }
    async let chunk = channel.next()
    try await eventually("the reader asks") { demanded.isFired }
    channel.push([7]).wakeup?.perform()
    #expect(try await chunk == [7])
    async let end = channel.next()
    try await eventually("the reader waits") { channel.isAwaited }
    channel.finish()?.perform()
    #expect(try await end == nil)
  }

  @Test("a failure comes after the chunks before it, and stays")
  func failure() async throws {
    let channel = BodyChannel { _ in }
    _ = channel.push([1])
    channel.finish(throwing: .timeout("late"))?.perform()
    channel.finish()?.perform()
    #expect(try await channel.next() == [1])
    await #expect(throws: HTTPServerError.timeout("late")) { try await channel.next() }
    await #expect(throws: HTTPServerError.timeout("late")) { try await channel.next() }
  }

  @Test("a cancelled reader stops waiting, before and while it waits, and nothing is lost")
  func cancellation() async throws {
    let channel = BodyChannel { _ in }
    let waiting = Task { try await channel.next() }
    try await eventually("the reader waits") { channel.isAwaited }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await channel.next()
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    _ = channel.push([5])
    #expect(try await channel.next() == [5])
  }

  @Test("a second reader at the same time is an error")
  func secondReader() async throws {
    let channel = BodyChannel { _ in }
    let first = Task { try await channel.next() }
    try await eventually("the reader waits") { channel.isAwaited }
    await #expect(throws: HTTPError.self) { try await channel.next() }
    channel.push([1]).wakeup?.perform()
    #expect(try await first.value == [1])
  }

  @Test("A queue that never runs empty keeps no places of chunks that were read")
  func compaction() async throws {
    let channel = BodyChannel { _ in }
    let chunk = [UInt8](repeating: 1, count: 5000)
    _ = channel.push(chunk)
    for _ in 0..<10_000 {
      _ = channel.push(chunk)
      #expect(try await channel.next() == chunk)
    }
    #expect(channel.slotCount < 100)
  }
}

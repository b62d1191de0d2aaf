import SwiftwaterHTTP
import Testing

@Suite("Backoff")
struct BackoffTests {
  @Test("Waits double up to the cap, however often it has failed")
  func doubling() {
    let backoff = Backoff(base: .milliseconds(500), cap: .seconds(20), jitter: .none)
    #expect(
      [1, 2, 3, 6, 7, 8, 1_000_000].map { backoff.delay(afterFailure: $0) }
        == [.seconds(0.5), .seconds(1), .seconds(2), .seconds(16), .seconds(20), .seconds(20), .seconds(20)])
    #expect(Backoff(base: .seconds(9), cap: .seconds(3), jitter: .none).delay(afterFailure: 1) == .seconds(3))
    #expect(Backoff(base: .zero, cap: .seconds(3)).delay(afterFailure: .max) == .zero)
  }

  @Test(
    "Scattered waits fill their range and do not leave it",
    arguments: [(Backoff.Jitter.equal, 0.5...1.0), (.full, 0.0...1.0)])
  func jitter(jitter: Backoff.Jitter, range: ClosedRange<Double>) {
    let backoff = Backoff(base: .seconds(1), cap: .seconds(30), jitter: jitter)
    let waits = (0..<2000).map { _ in backoff.delay(afterFailure: 3) / .seconds(4) }
    #expect(waits.allSatisfy(range.contains))
    let width = range.upperBound - range.lowerBound
    #expect(waits.contains { $0 < range.lowerBound + width / 10 })
    #expect(waits.contains { $0 > range.upperBound - width / 10 })
  }

  @Test("The same random numbers give the same waits")
  func injectedRandom() {
    struct Counter: RandomNumberGenerator {
      var state: UInt64 = 7

      mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
      }
    }
    let backoff = Backoff(base: .seconds(2), cap: .seconds(30))
    func waits() -> [Duration] {
      var random = Counter()
      return (1...5).map { backoff.delay(afterFailure: $0, using: &random) }
    }
    #expect(waits() == waits())
  }
}

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
    "A draw chooses the place in the range",
    arguments: [
      (Backoff.Jitter.equal, 0.0, 2.0), (.equal, 0.5, 3), (.equal, 1, 4), (.full, 0, 0), (.full, 0.25, 1),
      (.full, 1, 4),
      (.none, 0, 4), (.full, -1, 0), (.equal, 7, 4),
    ])
  func draw(jitter: Backoff.Jitter, draw: Double, seconds: Double) {
    let backoff = Backoff(base: .seconds(1), cap: .seconds(30), jitter: jitter)
    #expect(backoff.delay(afterFailure: 3, draw: draw) == .seconds(seconds))
  }

  @Test("By chance waits fill their range")
  func chance() {
    let backoff = Backoff(base: .seconds(1), cap: .seconds(30), jitter: .full)
    let waits = (0..<2000).map { _ in backoff.delay(afterFailure: 3) / .seconds(4) }
    #expect(waits.allSatisfy((0...1).contains))
    #expect(waits.contains { $0 < 0.1 } && waits.contains { $0 > 0.9 })
  }
}

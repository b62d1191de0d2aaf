import BenchmarkSupport
import SwiftwaterSessions

/// A thousand callers who wait for one renewal: what they add to its time.
enum Waiters {
  private struct Token: Codable, Sendable {
    var number: Int
    /// When the server's answer came.
    var received: Double
  }

  private static let count = 1000

  static func figure() async throws -> Figure {
    let scheme = CredentialScheme<Token>(
      validity: { _ in nil },
      refresh: { old in
        try await Task.sleep(for: .milliseconds(50))
        return Token(number: old.number + 1, received: Machine.now())
      },
      classify: { _ in .transient() })
    let manager = CredentialManager(scheme, store: MemoryCredentialStore())
    try await manager.set(Token(number: 0, received: 0))
    var times: [Double] = []
    for round in 0..<20 {
      let ends = try await withThrowingTaskGroup { group in
        for _ in 0..<count {
          group.addTask {
            let token = try await manager.credential { $0.number == round }
            precondition(token.number == round + 1)
            return Machine.now() - token.received
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      times.append((ends.max() ?? .nan) / 1e6)
    }
    return Figure("the last of 1000 waiters, behind the answer", median(times), "ms", .valueAtMost(10))
  }
}

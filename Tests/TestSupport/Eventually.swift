/// Polls until `condition` holds: for what has no event to wait for.
///
/// ```swift
/// #expect(await eventually { source.consumerCount == 0 })
/// ```
///
/// - Parameter deadline: When to give up; generous, as it only matters for tests that fail.
/// - Returns: Whether the condition held before the deadline.
public func eventually(
  within deadline: Duration = .seconds(20),
  _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let end = ContinuousClock.now + deadline
  var polls = 0
  while true {
    if try await condition() { return true }
    if ContinuousClock.now > end || Task.isCancelled { return false }
    polls += 1
    if polls < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

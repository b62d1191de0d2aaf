/// Asks again and again until the condition holds; false when it has not come about before the deadline.
///
///     #expect(await eventually { server.connectionCount == 0 })
public func eventually(
  within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  while true {
    if try await condition() { return true }
    if ContinuousClock.now >= deadline { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
}

/// Returns, by throwing `CancellationError`, when the task is cancelled.
public func waitForCancellation() async throws {
  // A clock that nobody advances.
  try await ManualClock().sleep(until: ManualClock.Instant(offset: .seconds(1)), tolerance: nil)
}

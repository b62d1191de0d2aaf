import SwiftwaterStreams

/// Moves the trip from place to place, fast enough that any route ends within seconds.
struct TripDrive {
  private static let longestDrive = Duration.seconds(6)
  private static let longestPause = Duration.milliseconds(15)

  let trip: Trip
  let state: StateSource<TripState, Never>

  func run() async throws {
    defer { state.finish() }
    let clock = ContinuousClock()
    let pause = min(Self.longestPause, Self.longestDrive / trip.places.count)
    var due = clock.now
    for reached in 2...trip.places.count {
      due += pause
      try await clock.sleep(until: due)
      state.send(TripState(reached: reached, isFinished: reached == trip.places.count))
    }
  }
}

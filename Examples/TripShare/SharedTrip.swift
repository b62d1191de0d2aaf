import Foundation
import PostgREST
import SwiftwaterBackend
import SwiftwaterStreams

/// One trip through the whole stack: driven, shown, uploaded while it changes, mirrored, read back and checked.
struct SharedTrip {
  private static let routeID = 1
  private static let uploadBatch = 200
  private static let pageSize = 500

  let trip: Trip
  let backend: LocalBackend
  private let client: PostgrestClient
  private let state = StateSource<TripState, Never>(TripState())

  init(trip: Trip, backend: LocalBackend) {
    self.trip = trip
    self.backend = backend
    client = PostgrestClient(
      configuration: .init(url: backend.restURL, headers: [.apikey: backend.serviceRoleKey]))
  }

  func share() async throws -> Summary {
    try await storeRoute()
    let mirror = await ObservedState(state.values)
    let drive = TripDrive(trip: trip, state: state)
    let view = TripView(trip: trip)
    let started = ContinuousClock().now
    let uploaded = try await withThrowingTaskGroup(of: Int?.self) { group in
      group.addTask {
        try await drive.run()
        return nil
      }
      group.addTask {
        await view.show(state.values)
        return nil
      }
      group.addTask { try await upload() }
      var uploaded = 0
      for try await count in group { uploaded += count ?? 0 }
      return uploaded
    }
    let elapsed = ContinuousClock().now - started
    let rows = try await readBack()
    return try await Summary(
      trip: trip, rows: rows, steps: countSteps(), uploaded: uploaded, elapsed: elapsed,
      mirrored: mirroredEnd(mirror))
  }

  private func storeRoute() async throws {
    try await backend.execute(Schema.sql)
    try await client.from("routes")
      .insert(RouteRow(id: Self.routeID, distance: trip.distance, duration: trip.duration)).execute()
    let steps = trip.steps.enumerated().map { index, step in
      StepRow(
        route_id: Self.routeID, seq: index, instruction: step.instruction, distance: step.distance,
        duration: step.duration)
    }
    if !steps.isEmpty { try await client.from("steps").insert(steps).execute() }
  }

  /// Writes places in batches as the trip reaches them, and returns how many it wrote.
  private func upload() async throws -> Int {
    var written = 0
    for await state in state.values {
      while state.reached - written >= Self.uploadBatch || (state.isFinished && written < state.reached) {
        let batch = written..<min(state.reached, written + Self.uploadBatch)
        let rows = batch.map { index in
          let place = trip.places[index]
          return PositionRow(
            route_id: Self.routeID, seq: index, latitude: place.latitude, longitude: place.longitude,
            traveled: place.traveled, recorded_at: Date())
        }
        try await client.from("positions").insert(rows).execute()
        written = batch.upperBound
      }
    }
    try Task.checkCancellation()
    return written
  }

  /// Pages through the stored positions in the order of the trip.
  private func readBack() async throws -> [PositionRow] {
    var rows: [PositionRow] = []
    while true {
      let page: [PositionRow] = try await client.from("positions").select().eq("route_id", value: Self.routeID)
        .order("seq").range(from: rows.count, to: rows.count + Self.pageSize - 1).execute().value
      rows += page
      if page.count < Self.pageSize { return rows }
    }
  }

  private func countSteps() async throws -> Int {
    try await client.from("steps").select(head: true, count: .exact).eq("route_id", value: Self.routeID)
      .execute().count ?? 0
  }

  /// The mirror's last value, once the mirror has seen the end.
  @MainActor
  private func mirroredEnd(_ mirror: ObservedState<TripState>) async throws -> TripState? {
    for await isFinished in ObservedValues({ mirror.isFinished }) where isFinished { break }
    try Task.checkCancellation()
    return mirror.value
  }
}

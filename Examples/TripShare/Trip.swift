/// A route made ready for driving: places at most ten metres apart and what to do on the way.
struct Trip: Sendable {
  struct Place: Sendable {
    var latitude: Double
    var longitude: Double
    /// Metres from the start.
    var traveled: Double
  }

  struct Step: Sendable {
    var instruction: String
    var distance: Double
    var duration: Double
    /// Metres from the start at which the step begins.
    var start: Double
  }

  static let spacing = 10.0

  /// What the routing server says, in metres.
  let distance: Double
  /// Seconds.
  let duration: Double
  let places: [Place]
  let steps: [Step]

  init(_ file: RouteFile) throws(TripError) {
    guard let route = file.routes.first else {
      throw TripError("The file holds no route.", exitStatus: ExitStatus.data)
    }
    guard let line = Polyline.decode(route.geometry) else {
      throw TripError("The route's geometry is no polyline with six decimals.", exitStatus: ExitStatus.data)
    }
    let places = Self.places(along: line)
    guard places.count > 1 else { throw TripError("The route is empty.", exitStatus: ExitStatus.data) }
    self.places = places
    distance = route.distance
    duration = route.duration
    var steps: [Step] = []
    for step in route.legs.flatMap(\.steps) {
      let start = steps.last.map { $0.start + $0.distance } ?? 0
      steps.append(
        Step(instruction: step.instruction, distance: step.distance, duration: step.duration, start: start))
    }
    self.steps = steps
  }

  /// The instruction that holds so many metres from the start, or one place further on.
  func instruction(at traveled: Double) -> String? {
    steps.last { $0.start <= traveled + Self.spacing }?.instruction
  }

  /// Every corner of the line, with places between them where they lie further apart than the spacing.
  private static func places(along line: [Point]) -> [Place] {
    guard var previous = line.first else { return [] }
    var places = [Place(latitude: previous.latitude, longitude: previous.longitude, traveled: 0)]
    var traveled = 0.0
    for corner in line.dropFirst() where corner != previous {
      let length = previous.distance(to: corner)
      let count = max(1, Int((length / spacing).rounded(.up)))
      for index in 1...count {
        let fraction = Double(index) / Double(count)
        let point = previous.interpolated(to: corner, fraction: fraction)
        places.append(
          Place(latitude: point.latitude, longitude: point.longitude, traveled: traveled + length * fraction))
      }
      traveled += length
      previous = corner
    }
    return places
  }
}

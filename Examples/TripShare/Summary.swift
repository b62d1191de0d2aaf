import Foundation

/// What the trip left in the database, held against the route.
struct Summary {
  struct Check {
    var name: String
    var expected: String
    var found: String
    var isMet: Bool
  }

  let checks: [Check]
  let elapsed: Duration

  var isCorrect: Bool { checks.allSatisfy(\.isMet) }

  init(trip: Trip, rows: [PositionRow], steps: Int, uploaded: Int, elapsed: Duration, mirrored: TripState?) {
    self.elapsed = elapsed
    let points = rows.map { Point(latitude: $0.latitude, longitude: $0.longitude) }
    let length = zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    let deviation = abs(length - trip.distance) / max(trip.distance, 1)
    checks = [
      Check(
        name: "positions stored", expected: "\(trip.places.count)", found: "\(rows.count)",
        isMet: rows.count == trip.places.count && uploaded == rows.count
          && rows.map(\.seq) == Array(trip.places.indices)),
      Check(
        name: "distance driven", expected: Format.kilometers(trip.distance) + " ± 1 %",
        found: "\(Format.kilometers(length)) (\(Format.fixed(deviation * 100, 2)) % off)", isMet: deviation <= 0.01),
      Check(name: "steps stored", expected: "\(trip.steps.count)", found: "\(steps)", isMet: steps == trip.steps.count),
      Check(
        name: "mirror on the main actor", expected: "place \(trip.places.count), finished",
        found: mirrored.map { "place \($0.reached)\($0.isFinished ? ", finished" : "")" } ?? "nothing",
        isMet: mirrored == TripState(reached: trip.places.count, isFinished: true)),
    ]
  }

  /// The checks as an aligned table, coloured for a terminal.
  func table(isColored: Bool) -> String {
    let rows = [["", "expected", "found"]] + checks.map { [$0.name, $0.expected, $0.found] }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let verdicts = [""] + checks.map { Self.verdict($0.isMet, isColored: isColored) }
    let lines = zip(rows, verdicts).map { row, verdict in
      zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) + "  " }.joined() + verdict
    }
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    return (lines + ["The trip took \(Format.fixed(seconds, 1)) s."]).joined(separator: "\n")
  }

  private static func verdict(_ isMet: Bool, isColored: Bool) -> String {
    let word = isMet ? "ok" : "WRONG"
    return isColored ? "\u{1B}[\(isMet ? 32 : 31)m\(word)\u{1B}[0m" : word
  }
}

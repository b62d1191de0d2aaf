import Foundation

/// A place on the Earth, in degrees.
struct Point: Equatable {
  var latitude: Double
  var longitude: Double

  /// Metres to another place along a great circle (haversine).
  func distance(to other: Point) -> Double {
    func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    let meanRadius = 6_371_008.8
    let north = sin(radians(other.latitude - latitude) / 2)
    let east = sin(radians(other.longitude - longitude) / 2)
    let chord = north * north + cos(radians(latitude)) * cos(radians(other.latitude)) * east * east
    return 2 * meanRadius * asin(min(1, chord.squareRoot()))
  }

  /// The place at a fraction of the way to another one that is near, if need be across the date line.
  func interpolated(to other: Point, fraction: Double) -> Point {
    let east = (other.longitude - longitude).remainder(dividingBy: 360)
    return Point(
      latitude: latitude + (other.latitude - latitude) * fraction,
      longitude: (longitude + east * fraction).remainder(dividingBy: 360))
  }
}

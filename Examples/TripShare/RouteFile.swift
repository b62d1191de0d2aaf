import Foundation

/// A routing server's answer: what of it a trip needs.
struct RouteFile: Decodable {
  struct Route: Decodable {
    var geometry: String
    /// Metres.
    var distance: Double
    /// Seconds.
    var duration: Double
    var legs: [Leg]
  }

  struct Leg: Decodable {
    var steps: [Step]
  }

  struct Step: Decodable {
    var name: String?
    var distance: Double
    var duration: Double
    var maneuver: Maneuver

    /// What to do, in words, without the control characters that a terminal would obey and PostgreSQL refuse.
    var instruction: String {
      let isPrintable = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory != .control }
      return String(String.UnicodeScalarView(words.unicodeScalars.filter(isPrintable)))
    }

    private var words: String {
      if let instruction = maneuver.instruction { return instruction }
      // Plain OSRM leaves the wording to its clients.
      return [maneuver.type, maneuver.modifier, name.flatMap { $0.isEmpty ? nil : "onto \($0)" }]
        .compactMap(\.self).joined(separator: " ")
    }
  }

  struct Maneuver: Decodable {
    var type: String
    var modifier: String?
    var instruction: String?
  }

  var routes: [Route]

  /// Reads a file.
  init(path: String) throws(TripError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw TripError("\(path) does not exist or cannot be read.", exitStatus: ExitStatus.noInput)
    }
    do {
      self = try JSONDecoder().decode(RouteFile.self, from: data)
    } catch {
      throw TripError(
        "\(path) is no route: the JSON of an OSRM or Valhalla server with geometries=polyline6 is expected.",
        exitStatus: ExitStatus.data)
    }
  }

  /// The trip that comes with the program.
  static func harbour() throws -> RouteFile {
    try JSONDecoder().decode(RouteFile.self, from: Data(PackageResources.harbour_route_json))
  }
}

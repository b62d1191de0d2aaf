/// What the command line asks for.
struct Options {
  var routeFile: String?

  static let help = """
    trip-share [--route FILE]

      --route FILE   a route as OSRM and Valhalla servers return it (JSON, geometries=polyline6);
                     without it a short trip through a harbour town is driven
    """

  /// Nil when help is asked for.
  init?(_ arguments: [String]) throws(TripError) {
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      switch argument {
      case "--help", "-h":
        return nil
      case "--route":
        guard let file = remaining.popFirst() else {
          throw TripError("--route needs a file. See --help.", exitStatus: ExitStatus.usage)
        }
        routeFile = file
      default:
        throw TripError("unknown argument \(argument). See --help.", exitStatus: ExitStatus.usage)
      }
    }
  }
}

/// The conventional exit statuses (sysexits.h).
enum ExitStatus {
  static let ok: Int32 = 0
  static let usage: Int32 = 64
  static let data: Int32 = 65
  static let noInput: Int32 = 66
  static let software: Int32 = 70
  static let interrupted: Int32 = 130
}

/// Why the program cannot go on, in one line for its user.
struct TripError: Error {
  var message: String
  var exitStatus: Int32

  init(_ message: String, exitStatus: Int32) {
    self.message = message
    self.exitStatus = exitStatus
  }
}

import FoundationEssentials

/// What a project's folder holds by convention, as seen from the folder that the command is started in.
enum Project {
  static let dataFolder = ".swiftwater"

  /// The project's migrations, if it has any.
  static var migrations: String? { existing("supabase/migrations") }

  /// What is to be in its tables at first, if it says.
  static var seed: String? { existing("supabase/seed.sql") }

  private static func existing(_ path: String) -> String? {
    FileManager.default.fileExists(atPath: path) ? path : nil
  }
}

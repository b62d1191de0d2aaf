import FoundationEssentials

/// What a project's folder holds by convention, as seen from the folder that the command is started in.
enum Project {
  static let dataFolder = ".swiftwater"

  /// The project's migrations, if it has any.
  static var migrations: String? { existing("supabase/migrations") }

  /// What is to be in its tables at first, if it says.
  static var seed: String? { existing("supabase/seed.sql") }

  /// Does what may make the data folder; one that it makes is kept out of the project's repository.
  static func makingFolder<Result>(_ folder: String, _ work: () async throws -> Result) async rethrows -> Result {
    let isThere = FileManager.default.fileExists(atPath: folder)
    defer {
      if !isThere {
        try? Data("# What the local backend keeps.\n*\n".utf8).write(to: URL(filePath: "\(folder)/.gitignore"))
      }
    }
    return try await work()
  }

  private static func existing(_ path: String) -> String? {
    FileManager.default.fileExists(atPath: path) ? path : nil
  }
}

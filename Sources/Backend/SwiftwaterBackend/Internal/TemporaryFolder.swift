internal import FoundationEssentials

/// A folder for data that nobody keeps.
enum TemporaryFolder {
  static func make() throws(LocalBackendError) -> String {
    // Directly below /tmp, which PostgreSQL's own user can traverse too; TMPDIR may be private to us.
    let path = "/tmp/swiftwater-data-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw LocalBackendError(
        code: .folderNotAccessible, message: "No folder can be made in /tmp.", underlyingError: error)
    }
    return path
  }

  static func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
  }
}

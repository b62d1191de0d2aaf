#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The few file operations that a cluster needs. They block.
enum Files {
  /// The paths that a shell pattern matches.
  static func matching(_ pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0, let paths = found.gl_pathv else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { paths[$0].map { String(cString: $0) } }
  }

  static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  static func isExecutable(_ path: String) -> Bool {
    access(path, X_OK) == 0
  }

  /// The file's length in bytes, 0 where it cannot be told.
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The path, or the nearest folder above it that exists.
  static func deepestExisting(_ path: String) -> String {
    guard !exists(path), let slash = path.lastIndex(of: "/") else { return path }
    return slash == path.startIndex ? "/" : deepestExisting(String(path[..<slash]))
  }

  /// Makes the names in a folder outlive a crash of the machine.
  static func synchronize(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// The last bytes of a file as text, or `nil` where it cannot be read.
  static func tail(_ path: String, bytes limit: Int = 65_536) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    let count = max(0, min(size, limit))
    var bytes = [UInt8](repeating: 0, count: count)
    let length = pread(file, &bytes, count, off_t(size - count))
    return length < 0 ? nil : String(decoding: bytes.prefix(length), as: UTF8.self)
  }

  /// Creates a folder that must not exist, for its owner alone.
  static func createPrivateFolder(_ path: String, owner: ServerUser?) throws(PostgresError) {
    guard mkdir(path, 0o700) == 0 else { throw failure("create the folder \(path)") }
    try give(path, to: owner)
  }

  /// Creates the missing folders above `path`, readable by all.
  static func createParents(of path: String) throws(PostgresError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let parent = String(path[..<slash])
    guard !exists(parent) else { return }
    try createParents(of: parent)
    guard mkdir(parent, 0o755) == 0 || errno == EEXIST else { throw failure("create the folder \(parent)") }
  }

  /// A new folder under /tmp, for its owner alone. /tmp because a socket's path must be shorter than 104 bytes.
  static func createShortFolder(owner: ServerUser?) throws(PostgresError) -> String {
    var template = Array("\(shortFolderPrefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw failure("create a folder under /tmp") }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try give(path, to: owner)
    return path
  }

  static let shortFolderPrefix = "/tmp/swiftwater-"

  static func removeTree(_ path: String) {
    _ = try? ChildProcess.output(of: ["/bin/rm", "-rf", "--", path])
  }

  /// An absolute path without symbolic links, `.` and `..`; what of it does not exist is taken by its names.
  ///
  /// - Throws: when the path is relative to a working folder that has been removed.
  static func canonical(_ path: String) throws(PostgresError) -> String {
    if let resolved = resolved(path) { return resolved }
    var folder = ""
    if !path.hasPrefix("/") {
      guard let workingFolder = resolved(".") else { throw failure("resolve \(path) from the working folder") }
      folder = workingFolder == "/" ? "" : workingFolder
    }
    for name in path.split(separator: "/") where name != "." {
      if name == ".." {
        folder = String(folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex))
      } else {
        folder = resolved("\(folder)/\(name)") ?? "\(folder)/\(name)"
        if folder == "/" { folder = "" }
      }
    }
    return folder.isEmpty ? "/" : folder
  }

  /// The path as the system resolves it; nil when it does not exist.
  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The error of the last system call.
  static func failure(_ operation: String) -> PostgresError {
    PostgresError(.startFailed, "cannot \(operation): \(String(cString: strerror(errno)))")
  }

  private static func give(_ path: String, to owner: ServerUser?) throws(PostgresError) {
    guard let owner else { return }
    guard lchown(path, owner.userID, owner.groupID) == 0 else {
      throw failure("give the folder \(path) to the user \(owner.name)")
    }
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a running server says about itself in `postmaster.pid` of its data folder.
struct PostmasterFile {
  let processIdentifier: pid_t
  let socketFolder: String?
  /// The server takes connections.
  let isReady: Bool

  /// Reads the file; `nil` if there is none or it is still being written.
  init?(dataFolder: String) {
    guard let text = Files.tail(Self.path(dataFolder)) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let processIdentifier = lines.first.flatMap({ pid_t($0) }), processIdentifier > 0 else { return nil }
    self.processIdentifier = processIdentifier
    socketFolder = lines.count > 4 && !lines[4].isEmpty ? String(lines[4]) : nil
    isReady = lines.count > 7 && lines[7].hasPrefix("ready")
  }

  static func path(_ dataFolder: String) -> String { "\(dataFolder)/postmaster.pid" }

  /// Whether the process lives and is a server on this data folder (on macOS: is a PostgreSQL server), not another that has
  /// got the same number.
  func isAlive(dataFolder: String) -> Bool {
    guard kill(processIdentifier, 0) == 0 || errno == EPERM else { return false }
    #if os(Linux)
      // A server works in its data folder, which may lie behind a symbolic link. (A zombie works nowhere.)
      let workingFolder = try? Files.canonical("/proc/\(processIdentifier)/cwd")
      return workingFolder != nil && workingFolder == (try? Files.canonical(dataFolder))
    #elseif os(macOS)
      var path = [CChar](repeating: 0, count: 4096)
      let length = proc_pidpath(processIdentifier, &path, UInt32(path.count))
      return String(decoding: path.prefix(Int(max(0, length))).map(UInt8.init(bitPattern:)), as: UTF8.self)
        .hasSuffix("/postgres")
    #else
      return true
    #endif
  }
}

import FoundationEssentials
import SwiftwaterBackend

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a running backend leaves in its data folder for other commands, in a file that only its user can read.
///
/// The backend holds a lock on the file as long as it lives, however it ends, so what lies about is never taken for a
/// backend. Several backends on one database may share a folder.
struct BackendRecord: Codable {
  var process: Int32
  var url: String
  var restURL: String
  var authURL: String
  /// Where kept messages are listed; nil where none are kept.
  var inboxURL: String?
  var anonKey: String
  var serviceRoleKey: String
  var database: String
  /// Whether the database is the backend's own and not one that ran before it.
  var ownsDatabase: Bool
  var isDevelopment: Bool
  /// What it has applied, by absolute paths.
  var migrations: String?
  var seed: String?

  init(_ backend: LocalBackend, _ configuration: LocalBackend.Configuration) {
    process = getpid()
    url = backend.url.absoluteString
    restURL = backend.restURL.absoluteString
    authURL = backend.authURL.absoluteString
    inboxURL = backend.inboxURL?.absoluteString
    anonKey = backend.anonKey
    serviceRoleKey = backend.serviceRoleKey
    database = backend.databaseConnection
    if case .database = configuration.storage { ownsDatabase = false } else { ownsDatabase = true }
    isDevelopment = backend.isDevelopment
    migrations = configuration.migrations.map(Self.absolute)
    seed = configuration.seed.map(Self.absolute)
  }

  /// Writes the record. The file's descriptor stays open, and with it the lock, until the process ends.
  ///
  /// - Returns: the path, for `remove`; nil where the folder cannot be written, which only keeps other commands blind.
  func write(to folder: String) -> String? {
    mkdir(folder, 0o755)
    let path = "\(folder)/\(Self.prefix)\(process).json"
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    var wanted = Self.wholeFile
    guard fcntl(file, F_SETLK, &wanted) == 0, let bytes = try? JSONEncoder().encode(self) else {
      close(file)
      unlink(path)
      return nil
    }
    _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    return path
  }

  /// The backends that run on a folder, the oldest process first. What others have left behind is removed.
  static func running(in folder: String) -> [BackendRecord] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }.compactMap { read("\(folder)/\($0)") }
      .sorted { $0.process < $1.process }
  }

  private static func read(_ path: String) -> BackendRecord? {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var lock = wholeFile
    guard fcntl(file, F_GETLK, &lock) == 0 else { return nil }
    guard lock.l_type != F_UNLCK else {
      unlink(path)
      return nil
    }
    return FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Self.self, from: $0) }
  }

  private static let prefix = "backend-"

  private static var wholeFile: flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return lock
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The places, programs and command lines of one cluster, prepared and locked. Its methods block.
struct ClusterSite {
  let user: ServerUser?
  let installation: PostgresInstallation
  /// Our folder: `data`, `server.log`, `lock`.
  let folder: String
  let socketFolder: String
  private let lock: FolderLock
  private let configuration: PostgresCluster.Configuration

  /// Finds PostgreSQL, creates what is missing of the folder and takes its lock.
  init(_ configuration: PostgresCluster.Configuration, socketFolder: String, user: ServerUser?) throws(PostgresError) {
    self.configuration = configuration
    self.socketFolder = socketFolder
    self.user = user
    if let named = configuration.folder { folder = try Files.canonical(named) } else { folder = socketFolder }
    try user.checkAccess(to: [Files.deepestExisting(folder)])
    if !Files.exists(folder) {
      try Files.createParents(of: folder)
      try Files.createPrivateFolder(folder, owner: user)
    }
    lock = try FolderLock(folder)
    do throws(PostgresError) {
      // A folder of an older PostgreSQL needs that PostgreSQL.
      let version = Files.tail("\(folder)/data/PG_VERSION").flatMap { Int($0.filter(\.isNumber)) }
      installation = try PostgresInstallation.locate(majorVersion: version)
      try user.checkAccess(to: [installation.binaries])
    } catch {
      lock.release()
      throw error
    }
  }

  var dataFolder: String { "\(folder)/data" }
  /// Where a cluster is made. It gets its name when it is complete: an interrupted creation is never taken for one.
  var unfinishedFolder: String { "\(folder)/data.unfinished" }
  var logFile: String { "\(folder)/server.log" }
  var isInitialized: Bool { Files.exists(dataFolder) }

  /// The command line that creates the cluster in `unfinishedFolder`.
  var creationCommand: [String] {
    // C.UTF-8 knows the upper and lower case of all letters, C of the ASCII ones.
    let hasUTF8Locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil).map { freelocale($0) } != nil
    return [
      "\(installation.binaries)/initdb", "-D", unfinishedFolder, "-U", "postgres", "-E", "UTF8",
      "--locale=\(hasUTF8Locale ? "C.UTF-8" : "C")", "--auth=trust", "--no-instructions",
    ] + (configuration.durability == .none ? ["--no-sync"] : [])
  }

  /// The server's command line.
  var serverCommand: [String] {
    // Without fsync a commit still reaches the system, so it outlives the server, though not the machine.
    let isSafe = configuration.durability == .full ? "on" : "off"
    let own = [
      "listen_addresses": "", "unix_socket_directories": socketFolder, "port": "5432", "wal_level": "logical",
      "fsync": isSafe, "full_page_writes": isSafe, "logging_collector": "off",
    ]
    let settings = ["timezone": "UTC", "log_timezone": "UTC"]
      .merging(configuration.settings) { _, set in set }
      .merging(own) { _, own in own }
    return ["\(installation.binaries)/postgres", "-D", dataFolder]
      + settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
  }

  func prepareCreation() throws(PostgresError) {
    if Files.exists(unfinishedFolder) { Files.removeTree(unfinishedFolder) }
    try Files.createPrivateFolder(unfinishedFolder, owner: user)
  }

  func completeCreation() throws(PostgresError) {
    guard rename(unfinishedFolder, dataFolder) == 0 else { throw Files.failure("rename \(unfinishedFolder)") }
    Files.synchronize(folder)
  }

  /// Opens the log for appending; the previous one is kept beside it when it has grown large.
  func openLog() throws(PostgresError) -> Int32 {
    if Files.size(logFile) > 16_777_216 { rename(logFile, "\(logFile).old") }
    let log = open(logFile, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard log >= 0 else { throw Files.failure("open \(logFile)") }
    return log
  }

  /// A failure with the last lines that a program has logged since the log had `start` bytes.
  func failure(_ message: String, logStart: Int) -> PostgresError {
    let text = Files.tail(logFile, bytes: min(4096, max(0, Files.size(logFile) - logStart))) ?? ""
    let lines = text.split(separator: "\n").suffix(8).joined(separator: "\n")
    return PostgresError(.startFailed, "\(message); the end of \(logFile):\n\(lines)")
  }

  /// Removes the socket's folder and gives the lock back.
  func release() {
    Files.removeTree(socketFolder)
    lock.release()
  }
}

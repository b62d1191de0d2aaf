import CSystem
import FoundationEssentials
import SwiftwaterBackend

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The database that a command works on: of a URL, of the backend that runs on a folder, or in a folder on which none runs.
struct DatabaseTarget {
  /// The backend that runs on it.
  let record: BackendRecord?
  /// The backend's folder.
  let folder: String
  private let storage: LocalBackend.Configuration.Storage

  init(_ options: Options) throws(UsageError) {
    let (url, folder) = try options.storage()
    self.folder = folder
    record = url == nil ? BackendRecord.running(in: folder).first : nil
    storage = (url ?? record?.database).map { .database($0) } ?? .folder(folder)
  }

  /// Whether the database belongs to the backend.
  var isOurs: Bool {
    if case .folder = storage { return true }
    return record?.ownsDatabase == true
  }

  var configuration: LocalBackend.Configuration { .init(storage: storage) }

  /// Fails where there is nothing to look at, instead of making it.
  func checkExistence() throws(LocalBackendError) {
    guard case .folder(let folder) = storage, !FileManager.default.fileExists(atPath: "\(folder)/data") else { return }
    throw LocalBackendError(
      code: .inputMissing, message: "there is no database in \(folder): \(Command.line("start", on: folder)) makes one."
    )
  }

  /// Runs a program on the database and returns its exit status. Where PostgreSQL runs already, the program takes this
  /// process over and nothing returns.
  func run(_ command: [String], with arguments: @Sendable (_ connection: String) -> [String]) async throws -> Int32 {
    if case .database(let connection) = storage {
      throw Self.becoming(command + arguments(connection))
    }
    return try await runAndWait(command, with: arguments)
  }

  /// Runs a program on the database and returns its exit status.
  func runAndWait(
    _ command: [String], with arguments: @Sendable (_ connection: String) -> [String]
  ) async throws -> Int32 {
    if case .database(let connection) = storage { return try await Self.wait(for: command + arguments(connection)) }
    // Ctrl-C is the program's: psql cancels a query by it.
    signal(SIGINT, SIG_IGN)
    return try await LocalBackend.withDatabase(configuration) { connection in
      try await Self.wait(for: command + arguments(connection))
    }
  }

  /// Becomes the program; returns why it cannot.
  private static func becoming(_ command: [String]) -> LocalBackendError {
    Terminal.flush()
    withCStrings(command) { words in _ = execv(command[0], words) }
    return cannotStart(command[0], errno)
  }

  @concurrent
  private static func wait(for command: [String]) async throws -> Int32 {
    var process: pid_t = 0
    let number = withCStrings(command) { words in
      swiftwater_spawn(&process, words, environ, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, 0)
    }
    guard number == 0 else { throw cannotStart(command[0], number) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  private static func cannotStart(_ program: String, _ number: Int32) -> LocalBackendError {
    LocalBackendError(
      code: .databaseUnavailable, message: "cannot start \(program): \(String(cString: strerror(number)))")
  }

  private static func withCStrings<Result>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = words.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return body(copies)
  }
}

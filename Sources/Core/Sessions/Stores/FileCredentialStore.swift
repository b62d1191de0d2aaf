/// A store in a file that only its owner may read, for any number of processes.
///
/// - The file holds the bytes as they are. It is written beside its place, flushed to the disk and renamed, so a crash
///   leaves the old content or the new one, and a full disk the old one.
/// - Its mode is 0600, whatever the process's mask is; a folder that it has to make has 0700.
/// - Two empty files beside it, `.lock` and `.turn`, carry the locks, by `flock(2)`. They stay. A process that ends, or
///   is killed, gives its locks back.
/// - Threading: any number of values may name the same file. Reading blocks for as long as the disk does, on a thread
///   of the concurrent pool except in ``loadImmediately()``.
public struct FileCredentialStore: SynchronousCredentialStore {
  private let file: CredentialFile
  private let lockTimeout: Duration

  /// The file's path.
  public var path: String { file.path }

  /// A store in a file of the folder. Nothing is touched before it is used.
  ///
  /// - Parameters:
  ///   - folder: Where the file lies. It is made when something is stored.
  ///   - key: The name of the entry, which becomes the file's. Characters that could lead elsewhere are escaped.
  ///   - lockTimeout: How long to wait while another process refreshes; 60 seconds unless given. Then the call fails
  ///     with `storeBusy`, and nothing is spent.
  public init(folder: String, key: String, lockTimeout: Duration = .seconds(60)) {
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    file = CredentialFile(folder: folder, path: "\(folder)/\(Self.fileName(for: key))")
    self.lockTimeout = lockTimeout
  }

  /// What the file holds; nil if there is none.
  ///
  /// - Throws: ``CredentialError`` with code `storeUnreadable`, also for a file of more than a mebibyte.
  public func loadImmediately() throws -> [UInt8]? {
    do { return try file.read() } catch { throw CredentialError.unreadable(error) }
  }

  /// What the file holds; nil if there is none.
  ///
  /// - Throws: ``CredentialError`` with code `storeUnreadable`, also for a file of more than a mebibyte.
  @concurrent
  public func load() async throws -> [UInt8]? { try loadImmediately() }

  /// Replaces the file.
  ///
  /// - Throws: ``CredentialError`` with code `storeUnwritable` or `storeBusy`; the old file is still there.
  public func save(_ bytes: [UInt8]) async throws {
    try await changing { try file.write(bytes) }
  }

  /// Removes the file.
  ///
  /// - Throws: ``CredentialError`` with code `storeUnwritable` or `storeBusy`.
  public func remove() async throws {
    try await changing { try file.remove() }
  }

  /// Replaces the file, or removes it, for callers that cannot suspend. Holds its thread while another process writes.
  ///
  /// - Throws: ``CredentialError`` with code `storeUnwritable` or, after a second, `storeBusy`; the old file is still
  ///   there.
  package func replaceImmediately(_ bytes: [UInt8]?) throws {
    do {
      try file.makeFolder()
      let lock = try FileLock.acquireBlocking("\(file.path).lock", timeout: .seconds(1))
      defer { lock.release() }
      if let bytes { try file.write(bytes) } else { try file.remove() }
    } catch let failure as FileFailure {
      throw CredentialError.unwritable(failure)
    }
  }

  /// Replaces the file if it holds `expected`.
  ///
  /// - Throws: ``CredentialError`` with code `storeUnreadable`, `storeUnwritable` or `storeBusy`; the old file is still
  ///   there.
  public func compareAndSwap(_ expected: [UInt8]?, _ new: [UInt8]?) async throws -> Bool {
    try await changing {
      guard try loadImmediately() == expected else { return false }
      if let new { try file.write(new) } else { try file.remove() }
      return true
    }
  }

  /// Runs `body` while no other process, and no other store of this one, does so with the same file.
  ///
  /// Where the folder cannot be written, `body` runs without a lock: nobody can store there, so nobody shares.
  public func withExclusiveAccess<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    let lock: FileLock
    do {
      lock = try await self.lock("turn")
    } catch let failure as FileFailure where failure.meansUnwritable {
      return try await body()
    }
    defer { lock.release() }
    return try await body()
  }

  /// Runs a change while nobody else makes one; a refresh may be under way.
  @concurrent
  private func changing<Result: Sendable>(_ change: @Sendable () throws -> Result) async throws -> Result {
    do {
      let lock = try await lock("lock")
      defer { lock.release() }
      return try change()
    } catch let failure as FileFailure {
      throw CredentialError.unwritable(failure)
    }
  }

  @concurrent
  private func lock(_ suffix: String) async throws -> FileLock {
    try file.makeFolder()
    return try await FileLock.acquire("\(file.path).\(suffix)", timeout: lockTimeout)
  }

  /// The key with everything escaped, as in URLs, that has a meaning in paths or is not plain.
  private static func fileName(for key: String) -> String {
    var name = ""
    for (index, byte) in key.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: ".") where index > 0:
        name += "."
      default:
        name += byte < 16 ? "%0" : "%"
        name += String(byte, radix: 16, uppercase: true)
      }
    }
    // No name at all would be the folder's.
    return name.isEmpty ? "%" : name
  }
}

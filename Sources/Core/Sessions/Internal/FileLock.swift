internal import CSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The exclusive right to a file's name, among processes and within one. The system takes it back when the process
/// ends, however it ends. The empty file stays: removing it would let two hold what they take for the same lock.
struct FileLock: Sendable {
  private let descriptor: Int32

  /// Waits for the lock without holding a thread.
  ///
  /// - Throws: `FileFailure`; ``CredentialError`` with code `storeBusy` after `timeout`; `CancellationError` at once.
  @concurrent
  static func acquire(_ path: String, timeout: Duration) async throws -> FileLock {
    let deadline = ContinuousClock.now + timeout
    var wait = Duration.milliseconds(1)
    while true {
      if let lock = try take(path) { return lock }
      guard ContinuousClock.now < deadline else { throw busy(path, timeout) }
      try await Task.sleep(for: wait)
      wait = min(wait * 2, .milliseconds(50))
    }
  }

  /// Waits for the lock on the caller's thread.
  ///
  /// - Throws: `FileFailure`; ``CredentialError`` with code `storeBusy` after `timeout`.
  static func acquireBlocking(_ path: String, timeout: Duration) throws -> FileLock {
    let deadline = ContinuousClock.now + timeout
    while true {
      if let lock = try take(path) { return lock }
      guard ContinuousClock.now < deadline else { throw busy(path, timeout) }
      usleep(1000)
    }
  }

  private static func busy(_ path: String, _ timeout: Duration) -> CredentialError {
    CredentialError(
      code: .storeBusy, message: "Another process has held \(path) for more than \(timeout); try again.")
  }

  func release() {
    swiftwater_unlock_file(descriptor)
    close(descriptor)
  }

  /// The lock, or nil while another one holds it.
  private static func take(_ path: String) throws -> FileLock? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FileFailure("open", path) }
    let number = swiftwater_lock_file(descriptor)
    if number == 0, isStill(descriptor, at: path) { return FileLock(descriptor: descriptor) }
    close(descriptor)
    guard number == 0 || number == EWOULDBLOCK || number == EINTR else {
      throw FileFailure("lock", path, number: number)
    }
    return nil
  }

  /// Whether nobody has removed the file between opening and locking it: then others would lock another one.
  private static func isStill(_ descriptor: Int32, at path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }
}

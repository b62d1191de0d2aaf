internal import CSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The exclusive right to a folder. The system takes it back when the process ends, however it ends.
struct FolderLock {
  private let descriptor: Int32

  /// Takes the lock or fails with `.alreadyInUse`, naming who has it.
  init(_ folder: String) throws(PostgresError) {
    let path = "\(folder)/lock"
    // The folder is the server's user's, who must not lead root elsewhere by a link.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw Files.failure("open \(path)") }
    let number = swiftwater_lock_file(file)
    guard number == 0 else {
      close(file)
      guard number == EWOULDBLOCK else {
        throw PostgresError(.startFailed, "cannot lock \(path): \(String(cString: strerror(number)))")
      }
      let holder = Files.tail(path).flatMap { Int($0.filter(\.isNumber)) }.map { " (process \($0))" } ?? ""
      throw PostgresError(
        .alreadyInUse, "another backend\(holder) runs on \(folder): stop it or choose another data folder")
    }
    ftruncate(file, 0)
    let identifier = Array("\(getpid())\n".utf8)
    write(file, identifier, identifier.count)
    descriptor = file
  }

  func release() {
    swiftwater_unlock_file(descriptor)
    close(descriptor)
  }
}
